"""Trained models as folders of plain arrays, and the light code that runs them: NumPy, no torch, no pickle."""

from broadsheet.models.weights import Weights, load_weights, save_weights

__all__ = ["Weights", "load_weights", "save_weights"]
