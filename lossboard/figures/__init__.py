"""Figures for papers: line charts in the style of the board, as SVG, PNG or PDF."""
