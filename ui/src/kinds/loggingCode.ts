/* Code that logs the data of each view. Not part of the registry, because the first load does not need it. */
export const loggingCode: Record<string, string> = {
  charts: 'log.add_scalar("train/loss", loss, step)',
  table: 'log.add_hparams({"lr": 1e-3}, {"eval/loss": 0.2})',
  hparams: 'log.add_hparams({"lr": 1e-3, "optimizer": "adam"}, {"hparam/accuracy": 0.9})',
  pr_curves: 'log.add_pr_curve("eval/positive", labels, predictions, step)',
  images: 'log.add_image("samples", image, step)',
  audio: 'log.add_audio("speech", samples, step, sample_rate=22050)',
  text: 'log.add_text("note", "what **changed**", step)',
  meshes: 'log.add_mesh("reconstruction", vertices, colors, faces, global_step=step)  # [batch, n, 3] each',
  histograms: 'log.add_histogram("layer.0.weight", weight, step)',
  embeddings: 'log.add_embedding(vectors, metadata=labels, global_step=step, tag="words")',
  attention: 'log.add_attention("probe", outputs.attentions, tokens, step)',
  graphs: "log.add_graph(model, inputs)",
  tensors: 'log.add_tensor("debug/logits", logits, step)',
  findings: 'log.add_scalar("val/loss", loss, step)',
};
