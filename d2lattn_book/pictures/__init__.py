"""What the chapters show: figures, drawings, and figures that move."""
