"""Does every row see its own beginning and no more in thirty layers and on real text, too (146)?

The page shows it for one layer. Here SmolLM2 reads a passage once, and each beginning alone; as a
control the mask is taken off.
"""

import torch
from book import real, tell

from d2lattn.edits import edited, see

model = real.model()
passages = real.passages(100, 2, 24)
everything = see(torch.ones(1, 1, dtype=torch.bool))


@torch.no_grad()
def differences(*edits):
    """How far a row of the whole lies from the last row of its beginning alone, in each place."""
    with edited(model, *edits):
        whole = model(passages)
        for n in range(1, passages.shape[1] + 1):
            yield (whole[:, n - 1] - model(passages[:, :n])[:, -1]).abs().max().item()


with torch.no_grad():
    print(f"logits are of size {model(passages).abs().mean():.1f}")
tell("with the mask", differences())
tell("without it", differences(everything))
