"""Trains a small network to remove noise from melodies. Logs the audio that it hears and returns, and scalars.

    python examples/denoise.py runs/denoise      and beside it:  lossboard runs

The melodies are made here from plucked strings (Karplus and Strong, 1983), so nothing is downloaded.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn

from lossboard import SummaryWriter

SAMPLE_RATE = 8000
NOTE_SAMPLES = 2000
SCALE_HZ = (220.0, 246.9, 277.2, 329.6, 370.0, 440.0, 493.9, 554.4)


def pluck(frequency_hz: float, rng: np.random.Generator) -> np.ndarray:
    """Returns a plucked string: a burst of noise that circulates and loses its high frequencies."""
    period = round(SAMPLE_RATE / frequency_hz)
    sound = np.empty(NOTE_SAMPLES)
    sound[:period] = rng.uniform(-1, 1, period)
    for at in range(period, NOTE_SAMPLES, period):
        before = sound[at - period : at]
        part = 0.996 * (before + np.roll(before, 1)) / 2
        sound[at : at + period] = part[: NOTE_SAMPLES - at]
    return sound


def melody(rng: np.random.Generator, *, notes: int = 6) -> np.ndarray:
    return np.concatenate([pluck(frequency, rng) for frequency in rng.choice(SCALE_HZ, notes)])


def train(folder: Path, *, steps: int = 160, noise: float = 0.1) -> float:
    """Returns the signal-to-noise ratio of the last output on a melody that is not in the training set, in dB."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    clean = torch.tensor(np.stack([melody(rng) for _ in range(9)]), dtype=torch.float32)[:, None]
    data, held_out = clean[:8], clean[8:]
    heard = held_out + noise * torch.randn_like(held_out)
    model = nn.Sequential(nn.Conv1d(1, 16, 33, padding=16), nn.Tanh(), nn.Conv1d(16, 1, 33, padding=16))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    ratio_db = 0.0
    with SummaryWriter(folder) as writer:
        writer.add_audio("melody/played", held_out[0], 0, sample_rate=SAMPLE_RATE)
        writer.add_audio("melody/heard", heard[0].clamp(-1, 1), 0, sample_rate=SAMPLE_RATE)
        for step in range(steps + 1):
            if step % 20 == 0:
                with torch.no_grad():
                    output = model(heard)
                ratio_db = 10 * torch.log10(held_out.square().mean() / (output - held_out).square().mean()).item()
                writer.add_scalar("val/signal_to_noise_db", ratio_db, step)
                writer.add_audio("melody/restored", output[0].clamp(-1, 1), step, sample_rate=SAMPLE_RATE)
            at = int(torch.randint(data.shape[2] - 1000, ()))
            part = data[:, :, at : at + 1000]
            loss = (model(part + noise * torch.randn_like(part)) - part).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            writer.add_scalar("train/loss", loss.item(), step)
    return ratio_db


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    print(f"signal to noise {train(parser.parse_args().folder):.1f} dB")
