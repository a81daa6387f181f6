"""Tercet inside other packages: evaluate, torchmetrics, capevalkit."""
