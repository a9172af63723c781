/* Code that logs something with each library. */
export interface Snippet {
  title: string;
  code(logdir: string): string;
}

export const snippets: Snippet[] = [
  {
    title: "Lossboard",
    code: (logdir) => `from lossboard import SummaryWriter
log = SummaryWriter(${quoted(`${logdir}/first`)})
for step in range(100): log.add_scalar("train/loss", 1 / (step + 1), step)`,
  },
  {
    title: "torch",
    code: (logdir) => `from torch.utils.tensorboard import SummaryWriter
log = SummaryWriter(${quoted(`${logdir}/first`)})
for step in range(100): log.add_scalar("train/loss", 1 / (step + 1), step)`,
  },
  {
    title: "Keras",
    code: (logdir) => `from keras.callbacks import TensorBoard
board = TensorBoard(log_dir=${quoted(`${logdir}/first`)}, update_freq=10)
model.fit(x, y, epochs=3, callbacks=[board])`,
  },
  {
    title: "Hugging Face",
    code: (logdir) => `from transformers import Trainer, TrainingArguments
args = TrainingArguments("out", report_to="tensorboard", logging_dir=${quoted(`${logdir}/first`)}, logging_steps=10)
Trainer(model, args, train_dataset=data).train()`,
  },
];

/** Returns a Python string literal. JSON strings are a subset of them. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
