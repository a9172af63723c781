"""World: this process among the workers of a run, and the collective operations between them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lossboard.errors import LossboardError
from lossboard.train.distributed.worker import PARENT_FD

if TYPE_CHECKING:
    import torch

T = TypeVar("T")

# File descriptor of a listening socket, which `launch.py` passes to rank 0.
STORE_FD = "LOSSBOARD_STORE_FD"

# Gradients are sent in buckets of this size: large enough for the network, small enough to need little extra memory.
BUCKET_ELEMENTS = 8 * 1024 * 1024


@dataclass(frozen=True)
class World:
    """This process among the workers. With one worker, all operations are free."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    def all_reduce_sum(self, values: torch.Tensor) -> torch.Tensor:
        """Sums the values over all workers, in place."""
        if self.size > 1:
            import torch.distributed as dist

            dist.all_reduce(values)
        return values

    def any_worker(self, flag: bool) -> bool:
        """Returns whether the flag is set on any worker."""
        if self.size == 1:
            return flag
        import torch

        return bool(self.all_reduce_sum(torch.tensor([float(flag)], device=self._device())).item() > 0)

    def broadcast(self, value: T) -> T:
        """Returns the value of rank 0."""
        if self.size == 1:
            return value
        import torch.distributed as dist

        box = [value]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def all_gather(self, value: T) -> list[T]:
        """Returns the values of all workers, by rank."""
        if self.size == 1:
            return [value]
        import torch.distributed as dist

        values: list[T | None] = [None] * self.size
        dist.all_gather_object(values, value)
        return values  # type: ignore[return-value]

    def call_on_all(self, action: Callable[[], T]) -> T:
        """Calls `action` on every worker. If it fails on one, it fails on all, so none waits for a failed worker."""
        result: list[T] = []
        own: LossboardError | None = None
        try:
            result.append(action())
        except LossboardError as error:
            own = error
        messages = self.all_gather(str(own) if own else "")
        if own:
            raise own
        for rank, message in enumerate(messages):
            if message:
                raise LossboardError(f"Worker {rank}: {message}")
        return result[0]

    def call_on_main(self, action: Callable[[], T]) -> T:
        """Returns what `action` returns on rank 0, or raises its error on every worker."""
        return self.broadcast(self.call_on_all(lambda: action() if self.is_main else None))  # type: ignore[return-value]

    def barrier(self) -> None:
        """Waits until all workers have reached this call."""
        if self.size > 1:
            import torch.distributed as dist

            dist.barrier()

    def sum_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Sums the gradients of all workers.

        This happens after the backward pass, not during it as in DistributedDataParallel, so a worker that ran out of
        memory can report it before the others wait for it.
        """
        if self.size == 1:
            return
        import torch

        bucket: list[torch.Tensor] = []
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            bucket.append(parameter.grad)
            if sum(grad.numel() for grad in bucket) >= BUCKET_ELEMENTS:
                self._sum_bucket(bucket)
                bucket = []
        if bucket:
            self._sum_bucket(bucket)

    def _sum_bucket(self, gradients: list[torch.Tensor]) -> None:
        import torch

        flat = self.all_reduce_sum(torch.cat([gradient.reshape(-1) for gradient in gradients]))
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def _device(self) -> torch.device:
        import torch

        return torch.device("cuda", self.local_rank) if torch.cuda.is_available() else torch.device("cpu")


def join_world() -> World:
    """Joins the workers that torchrun describes in the environment. Without a launcher, the world has one worker."""
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return World()
    import torch
    import torch.distributed as dist

    # Its arguments default to the process group that exists when it is imported, and saving a checkpoint imports it. If
    # that were this group, it would live until the process ends, and destroying it would not end its threads. One of
    # them that then asks for the GIL aborts the process: "terminate called without an active exception".
    import torch.distributed.nn.functional

    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.set_device(local_rank)
    if not dist.is_initialized():
        _init_process_group("nccl" if on_gpu else "gloo")
    return World(dist.get_rank(), dist.get_world_size(), local_rank)


def _init_process_group(backend: str) -> None:
    import torch.distributed as dist

    rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if is_under_torchrun():
        dist.init_process_group(backend)
        return
    socket_fd = int(os.environ[STORE_FD]) if rank == 0 else None
    store = dist.TCPStore(  # type: ignore[attr-defined]
        os.environ["MASTER_ADDR"],
        int(os.environ["MASTER_PORT"]),
        world_size=size,
        is_master=rank == 0,
        master_listen_fd=socket_fd,
    )
    dist.init_process_group(backend, store=store, rank=rank, world_size=size)


def is_main_process() -> bool:
    """Returns whether this process is rank 0 or the only one, without joining the others."""
    return os.environ.get("RANK", "0") == "0"


def is_under_torchrun() -> bool:
    """Returns whether the user started this process with torchrun or a similar launcher."""
    return "WORLD_SIZE" in os.environ and PARENT_FD not in os.environ


def is_connection_error(error: Exception) -> bool:
    """Returns whether an operation between workers failed, usually because another worker has ended."""
    return isinstance(error, RuntimeError) and any(name in str(error) for name in ("gloo", "Gloo", "NCCL"))


def leave_world(world: World) -> None:
    if world.size > 1:
        import torch.distributed as dist

        dist.destroy_process_group()
