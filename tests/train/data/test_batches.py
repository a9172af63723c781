import numpy as np
import pytest

from lossboard.train.data.batches import epoch_batches, pad, step_positions, worker_slice

LENGTHS = np.random.default_rng(0).integers(3, 80, size=1003).tolist()


def waste(batches):
    tokens_with_padding = sum(max(LENGTHS[i] for i in batch) * len(batch) for batch in batches)
    return 1 - sum(LENGTHS) / tokens_with_padding


@pytest.mark.parametrize("group", [True, False])
def test_epoch_contains_each_example_once(group):
    batches = epoch_batches(LENGTHS, batch_size=32, seed=0, epoch=0, group=group)
    assert sorted(np.concatenate(batches).tolist()) == list(range(1003))
    assert sorted(map(len, batches))[:2] == [1003 % 32, 32]


def test_order_depends_on_seed_and_epoch_only():
    def order(seed, epoch):
        return np.concatenate(epoch_batches(LENGTHS, batch_size=32, seed=seed, epoch=epoch)).tolist()

    assert order(1, 2) == order(1, 2)
    assert len({tuple(order(*key)) for key in [(0, 0), (0, 1), (1, 0), (1, 1)]}) == 4


def test_grouping_reduces_padding_and_puts_the_largest_batch_first():
    grouped = epoch_batches(LENGTHS, batch_size=32, seed=0, epoch=0)
    assert waste(grouped) < 0.05 < 0.4 < waste(epoch_batches(LENGTHS, batch_size=32, seed=0, epoch=0, group=False))
    widths = [max(LENGTHS[i] for i in batch) for batch in grouped]
    assert widths[0] == max(widths)
    assert widths != sorted(widths, reverse=True)


def test_worker_slices_do_not_overlap():
    batch = np.arange(13)
    parts = [worker_slice(batch, rank=rank, workers=4) for rank in range(4)]
    assert sorted(np.concatenate(parts).tolist()) == batch.tolist()
    assert [len(part) for part in parts] == [4, 3, 3, 3]


def test_padding_is_masked_and_as_wide_as_the_longest_text():
    rows = [np.array([2, 9, 3]), np.array([2, 3])]
    padded = pad(rows, [np.array([0, 1, 1]), np.array([0, 0])], pad_id=7)
    assert padded.input_ids.tolist() == [[2, 9, 3], [2, 3, 7]]
    assert padded.attention_mask.tolist() == [[1, 1, 1], [1, 1, 0]]
    assert padded.token_type_ids.tolist() == [[0, 1, 1], [0, 0, 0]]
    assert (padded.tokens, padded.tokens_with_padding) == (5, 6)


def test_step_positions_continue_from_the_first_step():
    every = list(step_positions(first_step=0, total_steps=7, steps_per_epoch=3))
    assert [(p.epoch, p.index) for p in every] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)]
    assert list(step_positions(first_step=4, total_steps=7, steps_per_epoch=3)) == every[4:]
