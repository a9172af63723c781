"""TensorFlow engine: KerasHub's BERT on Keras 3, on one device, several GPUs or several workers.

`loop.run` drives it, on the same batches as torch. The engine accumulates gradients itself, as the sum over all
examples divided by their number, because Keras averages over micro-batches of any size. Each replica has its own
accumulators, which are summed once per step.
"""

from __future__ import annotations

import gc
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.errors import UsageError
from lossboard.train.config import Config, is_due
from lossboard.train.data.batches import Ids, sequential_batches
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.distributed.world import World
from lossboard.train.engines import loop
from lossboard.train.engines.keras_data import INPUTS, Feed, piece_signature, targets_signature
from lossboard.train.engines.keras_losses import summed_loss, target_dtype
from lossboard.train.engines.micro_batches import fit_to_memory, halve_micro_batch
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.memory.device import configure_malloc
from lossboard.train.memory.micro_batch import initial_micro_batch
from lossboard.train.memory.oom import CatchOom
from lossboard.train.models.heads import HEADS
from lossboard.train.models.keras_model import Weight, array_of, read_tensors
from lossboard.train.models.keras_optimizer import make_optimizer
from lossboard.train.models.keras_own_parts import load_keras_model
from lossboard.train.models.layers import layer_of
from lossboard.train.models.own_parts import OWN_KEY, TASK_KEY, own_settings
from lossboard.train.models.tensorflow_import import tf
from lossboard.train.precision import TRAITS
from lossboard.train.preparation.prepare import PreparedData, prepare
from lossboard.train.reporting.step_result import Details, StepResult
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runs import checkpoint
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.tasks.task import Evaluation, Outputs

# fp16: the initial loss scale, and the number of finite steps after which it is doubled.
FIRST_SCALE = 2.0**15
DOUBLED_AFTER = 2000


def train(
    config: Config,
    run: RunDir,
    *,
    strategy: tf.distribute.Strategy | None = None,
    resume: bool = False,
    hooks: Hooks = NO_HOOKS,
) -> Evaluation:
    """Trains a run and returns the last evaluation on the full validation set."""
    strategy = strategy or choose_strategy(config)
    world = world_of_this_process()
    prepared = prepare(config, hooks)
    engine = KerasEngine(config, prepared, strategy, world)
    replicas = strategy.num_replicas_in_sync
    state = checkpoint.TrainState(micro_batch=initial_micro_batch(config, replicas=replicas))
    if resume:
        state = engine.resume(run)
    total_steps = loop.steps_in_run(config, prepared)
    log = TrainLog(config, run, prepared, total_steps=total_steps, world=world, first_step=state.step)
    log.start()
    if not tf.config.list_logical_devices("GPU") and hooks.model is None:
        fit_to_memory(config, prepared, state, log, workers=replicas)
    if not resume:
        log.log_graph(engine.model)
    evaluation = loop.run(config, run, prepared, engine, state, log)
    if world.size > 1:
        _leave_cluster(engine)
    return evaluation


def _leave_cluster(engine: KerasEngine) -> None:
    """Waits for all workers. After this they only end, which TensorFlow would report as a crash of the others."""
    sys.stderr.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    engine.any_worker(False)


def choose_strategy(config: Config) -> Any:
    """Returns the strategy: several workers if TF_CONFIG names them, all GPUs if there are several, else one device."""
    if config.threads:
        tf.config.threading.set_intra_op_parallelism_threads(config.threads)
    if _cluster_size() > 1:
        # Must come before any other operation, because collectives are configured at program startup.
        options = tf.distribute.experimental.CommunicationOptions(
            implementation=tf.distribute.experimental.CommunicationImplementation.AUTO
        )
        return tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    if config.device in ("auto", "cuda") and len(tf.config.list_logical_devices("GPU")) > 1:
        return tf.distribute.MirroredStrategy()
    return tf.distribute.get_strategy()


class KerasEngine:
    """A model and its optimizer, on all replicas of a strategy."""

    def __init__(self, config: Config, prepared: PreparedData, strategy: Any, world: World) -> None:
        self.config, self.prepared, self.strategy, self.world = config, prepared, strategy, world
        local = strategy.num_replicas_in_sync // world.size
        self.first_replica = world.rank * local
        self.task = prepared.task
        if prepared.hooks.own_part and strategy.num_replicas_in_sync > 1:
            raise UsageError("An own head or model trains on one device only. Set CUDA_VISIBLE_DEVICES=0.")
        with strategy.scope():
            self.classifier: Any = load_keras_model(prepared.checkpoint, config, self.task, prepared.hooks)
            self.model = self.classifier.model
            self.trained = self.classifier.trainable(config)
            self.optimizer = make_optimizer(self.trained, config)
            self.sums = [self._accumulator(weight) for weight in self.trained]
        targets = targets_signature(prepared.train, target_dtype(self.task.loss))
        self.feed = Feed(
            prepared.train,
            targets=targets,
            first_replica=self.first_replica,
            replicas=local,
            total_replicas=strategy.num_replicas_in_sync,
        )
        self.scale = FIRST_SCALE if TRAITS[config.precision].needs_loss_scaling else 1.0
        self.good_updates = 0
        self.coming: list[Ids] = []
        self.prepared_for = 0  # the micro-batch size that the feed prepares
        signature = ([piece_signature(targets)] * local, tf.TensorSpec((), tf.float32), tf.TensorSpec((), tf.float32))
        self._add = tf.function(self._add_micro_batch, input_signature=signature)
        self._reset = tf.function(lambda: strategy.run(self._clear_sums))
        self._collect = tf.function(self._collect_gradients)
        self._apply = tf.function(self._apply_gradients)
        self._infer = tf.function(self._forward, input_signature=INPUTS)
        self._sum = tf.function(self._sum_over_replicas, input_signature=[tf.TensorSpec((), tf.float32)])

    def _accumulator(self, weight: Weight) -> Any:
        """Returns a variable with a value per replica. Reading it outside of the replicas gives their sum."""
        return tf.Variable(
            tf.zeros(weight.variable.shape),
            trainable=False,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )

    # ---- one step

    def start_epoch(self, batches: Sequence[Ids], first: int) -> None:
        self.coming = list(batches[first:])
        self.prepared_for = 0

    def any_worker(self, flag: bool) -> bool:
        return flag if self.world.size == 1 else bool(self._sum(float(flag)) > 0)

    def _sum_over_replicas(self, value: Any) -> Any:
        values = self.strategy.run(tf.identity, args=(value,))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, values, axis=None)

    def train_step(
        self, batch: Ids, lr: float, state: checkpoint.TrainState, log: TrainLog
    ) -> tuple[StepResult, Details | None]:
        """Does one optimizer step. On OOM, halves the micro-batch and retries."""
        started = time.perf_counter()
        while isinstance(sums := self._accumulate(batch, state.micro_batch), str):
            # Workers wait for each other inside a pass, so one that failed cannot make the others retry.
            halve_micro_batch(state, log, error=sums, can_retry=self.world.size == 1)
        self.coming.pop(0)
        gradients, norm_tensor = self._collect(tf.constant(self.scale))
        norm = float(norm_tensor)
        finite = math.isfinite(norm) and math.isfinite(sums[0])
        detailed = finite and is_due(self.config.detail_interval, state.step + 1)
        details = self._step(gradients, lr, norm, detailed=detailed) if finite else None
        if log.wants_histograms(state.step + 1):
            log.log_histograms(state.step + 1, self._distributions(gradients))
        self._adjust_loss_scale(finite)
        seconds = time.perf_counter() - started
        result = StepResult.of_batch(
            sums,
            examples=len(batch),
            targets=self.prepared.train.targets.count(batch),
            weight=self.prepared.batch_weight(batch),
            lr=lr,
            grad_norm=norm,
            micro_batch=state.micro_batch,
            seconds=seconds,
        )
        return result, details

    def _accumulate(self, batch: Ids, micro_batch: int) -> tuple[float, float, int, int] | str:
        """Accumulates the gradient of the batch's mean loss. Returns an error message if memory ran out."""
        with CatchOom() as oom:
            if self.prepared_for != micro_batch:
                self.feed.start(self.coming, micro_batch)
                self.prepared_for = micro_batch
            self._reset()
            totals = np.zeros(2)
            tokens = tokens_with_padding = 0
            for pieces in self.feed.pieces(batch, micro_batch):
                totals += self._add_pieces(pieces, self.prepared.batch_weight(batch))
                tokens += sum(int(tf.reduce_sum(piece[2])) for piece in pieces)
                tokens_with_padding += sum(int(tf.size(piece[2])) for piece in pieces)
            return float(totals[0]), float(totals[1]), tokens, tokens_with_padding
        self.prepared_for = 0
        self._release_memory()
        return oom.message

    def _add_pieces(self, pieces: list[Any], total: float) -> npt.NDArray[Any]:
        """Adds the gradient of one micro-batch per replica. Returns the summed loss and the number correct."""
        return array_of(self._add(pieces, total, self.scale))

    def _release_memory(self) -> None:
        gc.collect()
        configure_malloc(release_eagerly=True)

    def _clear_sums(self) -> None:
        for accumulator in self.sums:
            accumulator.assign(tf.zeros_like(accumulator))

    def _add_micro_batch(self, pieces: Any, total: Any, scale: Any) -> Any:
        outcome = self.strategy.run(self._replica_gradients, args=(pieces, total, scale))
        return self.strategy.reduce(tf.distribute.ReduceOp.SUM, outcome, axis=None)

    def _replica_gradients(self, pieces: Any, total: Any, scale: Any) -> Any:
        """Adds this replica's gradient to its accumulators. Returns the summed loss and the number correct."""
        ids, types, mask, targets, weight = pieces[self._local_replica() if len(pieces) > 1 else 0]
        variables = [trained.variable.value for trained in self.trained]
        with tf.GradientTape() as tape:
            logits, _ = self.model({"token_ids": ids, "segment_ids": types, "padding_mask": mask}, training=True)
            weights = self.prepared.class_weights
            loss, hits = summed_loss(self.task.loss, tf.cast(logits, tf.float32), targets, mask=mask, weights=weights)
            loss *= weight
            objective = loss * (scale / total)
        for accumulator, gradient in zip(self.sums, tape.gradient(objective, variables), strict=True):
            accumulator.assign_add(tf.cast(tf.convert_to_tensor(gradient), tf.float32))
        return tf.stack([loss, hits * weight])

    def _local_replica(self) -> int:
        """Returns the index of the replica that is being traced. Each is traced separately, so it is a constant."""
        number = tf.get_static_value(tf.distribute.get_replica_context().replica_id_in_sync_group)
        return int(number) - int(self.first_replica)

    def _collect_gradients(self, scale: Any) -> Any:
        gradients = [accumulator.read_value() / scale for accumulator in self.sums]
        return gradients, tf.linalg.global_norm(gradients)

    def _apply_gradients(self, gradients: Any, factor: Any) -> None:
        # Outside of the replicas. Inside, Keras would sum the gradients over them again.
        self.optimizer.apply(
            [gradient * factor for gradient in gradients], [weight.variable for weight in self.trained]
        )

    def _step(self, gradients: list[Any], lr: float, norm: float, *, detailed: bool) -> Details | None:
        self.optimizer.learning_rate.assign(lr)
        limit = self.config.max_grad_norm
        before = [array_of(weight.variable).copy() for weight in self.trained] if detailed else None
        self._apply(gradients, tf.constant(min(1.0, limit / (norm + 1e-6)) if limit else 1.0))
        return self._details(gradients, before) if before else None

    def _details(self, gradients: list[Any], before: list[npt.NDArray[Any]]) -> Details:
        """Returns gradient norms before clipping and update-to-weight ratios, per layer."""
        squares: dict[str, npt.NDArray[np.float64]] = {}
        for weight, gradient, old in zip(self.trained, gradients, before, strict=True):
            three = (array_of(gradient), array_of(weight.variable) - old, old)
            sums = np.array([np.square(array, dtype=np.float64).sum() for array in three])
            squares[layer_of(weight.name)] = squares.get(layer_of(weight.name), 0) + sums
        return Details(
            grad_norms={layer: math.sqrt(g) for layer, (g, _, _) in squares.items()},
            update_ratios={layer: math.sqrt(u / w) if w else 0.0 for layer, (_, u, w) in squares.items()},
        )

    def weights(self) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        return ((f"weights/{weight.name}", array_of(weight.variable)) for weight in self.trained)

    def _distributions(self, gradients: list[Any]) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        yield from self.weights()
        for weight, gradient in zip(self.trained, gradients, strict=True):
            yield f"gradients/{weight.name}", array_of(gradient)

    def _adjust_loss_scale(self, finite: bool) -> None:
        """fp16 only: halves the loss scale after an overflow, and doubles it after many finite steps."""
        if not TRAITS[self.config.precision].needs_loss_scaling:
            return
        self.good_updates = self.good_updates + 1 if finite else 0
        if not finite:
            self.scale = max(1.0, self.scale / 2)
        elif self.good_updates % DOUBLED_AFTER == 0:
            self.scale *= 2

    def is_adjusting_loss_scale(self, result: StepResult) -> bool:
        return self.scale > 1 and math.isfinite(result.loss)

    # ---- evaluation and probes

    def _forward(self, ids: Any, types: Any, mask: Any) -> Any:
        return self.model({"token_ids": ids, "segment_ids": types, "padding_mask": mask}, training=False)

    def predict(self, data: EncodedExamples, rows: Ids, micro_batch: int) -> Outputs:
        """Returns the outputs for all rows. Each worker computes all of them."""
        with CatchOom(enabled=micro_batch > 1):
            return self._predict(data, rows, micro_batch)
        self._release_memory()
        return self.predict(data, rows, micro_batch // 2)

    def _predict(self, data: EncodedExamples, rows: Ids, micro_batch: int) -> Outputs:
        outputs = Outputs.empty(
            data.lengths[rows] if HEADS[self.task.head].reads_every_token else None,
            inputs=len(rows),
            classes=len(self.task.classes),
            features=self.classifier.features,
        )
        for batch in sequential_batches(data.lengths[rows], batch_size=micro_batch):
            padded = data.padded(rows[batch])
            arrays = (padded.input_ids, padded.token_type_ids, padded.attention_mask)
            logits, first = self._infer(*(tf.constant(array, tf.int32) for array in arrays))
            outputs.fill(batch, array_of(logits), array_of(tf.cast(first, tf.float32)))
        return outputs

    def attention(self) -> tuple[Ids, list[npt.NDArray[Any]]] | None:
        if self.prepared.hooks.model is not None:
            return np.empty(0, np.int64), []
        probes, data = self.prepared.probes(), self.prepared.probe_data
        with CatchOom():
            return probes, [self.classifier.attention(data.ids(row)[None], data.types(row)[None]) for row in probes]
        self._release_memory()
        return None

    # ---- checkpoints

    def save(self, run: RunDir, state: checkpoint.TrainState, *, links: tuple[str, ...]) -> None:
        state.scaler = {"scale": self.scale, "good_updates": self.good_updates}
        if self.world.is_main:
            tensors, moments = self.classifier.tensors(), self._optimizer_state()
            names = dict(enumerate(self.task.classes))
            settings = json.loads((self.prepared.checkpoint / "config.json").read_text(encoding="utf-8"))
            own, architecture = self.prepared.hooks.model, f"Bert{HEADS[self.task.head].model_class}"
            settings |= {"architectures": [type(own).__name__ if own else architecture], "id2label": names}
            settings |= {"label2id": {name: index for index, name in names.items()}, **self.task.model_settings}
            settings = {name: value for name, value in settings.items() if name not in (OWN_KEY, TASK_KEY)}
            settings |= own_settings(self.prepared.hooks, self.task.name)
            checkpoint.write_arrays(
                run.checkpoints,
                tensors,
                moments,
                state,
                settings=settings,
                source=self.prepared.checkpoint,
                links=links,
            )

    def resume(self, run: RunDir) -> checkpoint.TrainState:
        folder = run.checkpoints / "last"
        state = checkpoint.read_train_state(folder)
        self.classifier.load(read_tensors([folder / "model.safetensors"]))
        moments = read_tensors([folder / "optimizer.safetensors"])
        if len(moments) != len(self._optimizer_state()):
            raise UsageError(
                f"{folder} was written by another engine or with other settings. Resume with the original ones."
            )
        for weight in self.trained:
            for kind, moment in self.optimizer.state_of(weight).items():
                moment.assign(weight.to_keras(moments[f"{weight.name}|{kind}"]))
        self.optimizer.iterations.assign(int(moments["step"][0]))
        for index, seed in enumerate(self._seeds()):
            seed.assign(moments[f"rng|{index}"])
        self.scale, self.good_updates = state.scaler["scale"], state.scaler["good_updates"]
        return state

    def _optimizer_state(self) -> dict[str, npt.NDArray[Any]]:
        state = {"step": array_of(self.optimizer.iterations).reshape(1)}
        for weight in self.trained:
            for kind, moment in self.optimizer.state_of(weight).items():
                state[f"{weight.name}|{kind}"] = weight.to_checkpoint(array_of(moment))
        return state | {f"rng|{index}": array_of(seed) for index, seed in enumerate(self._seeds())}

    def _seeds(self) -> list[Any]:
        """Returns the RNG states of the dropout layers."""
        return [variable for variable in self.model.non_trainable_variables if "seed" in variable.path]


def _cluster() -> dict[str, Any]:
    value: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG") or "{}")
    return value


def _cluster_size() -> int:
    return len(_cluster().get("cluster", {}).get("worker", [None]))


def world_of_this_process() -> World:
    return World(rank=_cluster().get("task", {}).get("index", 0), size=_cluster_size())
