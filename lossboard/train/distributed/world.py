"""World: this process among the workers of a run, and the collective operations between them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import torch

T = TypeVar("T")

# Gradients travel in pieces of this size: large enough for the wire, small enough to need little extra memory.
BUCKET_ELEMENTS = 8 * 1024 * 1024


@dataclass(frozen=True)
class World:
    """This process among the workers. Alone, everything here costs nothing."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def is_main(self) -> bool:
        return self.rank == 0

    def all_reduce_sum(self, values: torch.Tensor) -> torch.Tensor:
        """The sum over all workers, in place."""
        if self.size > 1:
            import torch.distributed as dist

            dist.all_reduce(values)
        return values

    def any_worker(self, flag: bool) -> bool:
        """Whether it is so on any worker."""
        if self.size == 1:
            return flag
        import torch

        return bool(self.all_reduce_sum(torch.tensor([float(flag)], device=self._device())).item() > 0)

    def broadcast(self, value: T) -> T:
        """What rank 0 has."""
        if self.size == 1:
            return value
        import torch.distributed as dist

        box = [value]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def all_gather(self, value: T) -> list[T]:
        """What each rank has, in order of rank."""
        if self.size == 1:
            return [value]
        import torch.distributed as dist

        values: list[T | None] = [None] * self.size
        dist.all_gather_object(values, value)
        return values  # type: ignore[return-value]

    def barrier(self) -> None:
        """Returns when all workers have come to this call."""
        if self.size > 1:
            import torch.distributed as dist

            dist.barrier()

    def sum_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Adds up the gradients of all workers.

        After the backward pass, and not during it as DistributedDataParallel does: a worker that ran out of memory must
        be able to say so before the others wait for it.
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
    """The world that a launcher (torchrun, ours or the user's) describes in the environment; alone without one."""
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
        dist.init_process_group("nccl" if on_gpu else "gloo")
    return World(dist.get_rank(), dist.get_world_size(), local_rank)


def leave_world(world: World) -> None:
    if world.size > 1:
        import torch.distributed as dist

        dist.destroy_process_group()
