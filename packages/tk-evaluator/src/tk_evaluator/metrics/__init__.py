"""The ready metrics, one a file; each stores one entry a sample and computes in float64."""
