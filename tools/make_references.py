"""What transformers says of Llamas: `make test-libraries` says what differs from it by now.

`from_llama`, `real.load`, `trace` and every edit are held to these numbers in `make test`,
where there is no transformers. The file has its version and the ids of the tokens. With arrays that
differ from the stored ones by more than 1e-4 of the largest the command fails; NEW=1 replaces them.

The edits are made here with hooks of torch on the modules of transformers, and share no line with
those of d2lattn.
"""

import contextlib
import os
import sys
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from d2lattn_book.real import load
from d2lattn_book.real.pretrained import packaged_file

STORED = Path(__file__).resolve().parent.parent / "tests" / "llama_reference.npz"
PROSE = Path(__file__).resolve().parent.parent / "experiments" / "data" / "prose.txt"
SMALL = (  # vocabulary, width, layers, heads, heads of keys, width of the mlp, tied, base, biases
    (23, 12, 2, 3, 3, 17, False, 10000.0, False),
    (31, 24, 3, 6, 2, 40, True, 500.0, False),
    (19, 16, 1, 4, 1, 21, False, 1e5, True),
)
PIECES, COLUMNS = 40, 300  # of the text that is edited; of the logits that are stored
PROMPTS = (
    "The capital of France is",
    "Attention is a way to",
    "Once upon a time there was a small",
)


def small(sizes, seed=0, **more):
    """A LlamaForCausalLM with weights as large as those of a trained one, in half precision."""
    vocabulary, width, layers, heads, kv, inner, tied, base, biases = sizes
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv,
        intermediate_size=inner,
        max_position_embeddings=32,
        tie_word_embeddings=tied,
        rope_parameters={"rope_type": "default", "rope_theta": base},
        attention_bias=biases,
        mlp_bias=biases,
        rms_norm_eps=1e-5,
        eos_token_id=0,
        **more,
    )
    model = LlamaForCausalLM(config).eval()
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        std = parameter.shape[-1] ** -0.5 if parameter.ndim > 1 else 0.5
        parameter.data = (std * torch.randn(parameter.shape, generator=generator)).half().float()
    return model


def real():
    """SmolLM2 as transformers reads its GGUF file, with maps."""
    file = packaged_file()
    options = dict(dtype=torch.float32, attn_implementation="eager")
    model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, **options)
    model.generation_config.eos_token_id = None  # it shall write on
    return model.eval()


# The edits, on transformers' modules --------------------------------------------------------------


@contextlib.contextmanager
def hooked(*hooks):
    with contextlib.ExitStack() as stack:
        for hook in hooks:
            stack.callback(hook.remove)
        yield


def on_heads(model, layer, change):
    """A hook on what the heads found, (B, L, H, D), before they are joined."""
    width = model.config.hidden_size // model.config.num_attention_heads

    def hook(module, args):
        return (change(args[0].unflatten(-1, (-1, width)).clone()).flatten(-2),)

    return model.model.layers[layer].self_attn.o_proj.register_forward_pre_hook(hook)


def on_attention(model, layer, **changed):
    """A hook on the arguments of attention."""

    def hook(module, args, options):
        return args, options | changed

    attention = model.model.layers[layer].self_attn
    return attention.register_forward_pre_hook(hook, with_kwargs=True)


def additive(seen):
    """A boolean mask (L, S) as what is added to the scores."""
    return torch.zeros(seen.shape).masked_fill(~seen, torch.finfo(torch.float32).min)[None, None]


def edits(model, ids):
    """(name, hooks, arguments of the model) of every edit."""
    layers, L = model.model.layers, ids.shape[1]
    i, j = torch.arange(L)[:, None], torch.arange(L)
    causal = j <= i

    def off(x, head):
        x[:, :, head] = 0
        return x

    yield "plain", (), {}
    pairs = ((3, 1), (16, 3), (16, 4))
    yield "heads_off", [on_heads(model, n, lambda x, h=h: off(x, h)) for n, h in pairs], {}
    near = additive(causal & (j > i - 8))
    yield "see", [on_attention(model, n, attention_mask=near) for n in range(10, 30)], {}
    hidden = additive(causal & ((j != 0) | (i == 0)))
    yield "hide", [on_attention(model, n, attention_mask=hidden) for n in range(30)], {}

    def no_first_value(module, args, output):
        output = output.clone()
        output[:, 0] = 0
        return output

    values = [layer.self_attn.v_proj.register_forward_hook(no_first_value) for layer in layers]
    yield "values_off", values, {}
    halved = [
        layer.self_attn.q_proj.register_forward_hook(lambda module, args, output: output / 2)
        for layer in layers
    ]
    yield "scale_scores", halved, {}
    width = model.config.hidden_size // model.config.num_attention_heads
    still = torch.ones(1, L, width), torch.zeros(1, L, width)
    yield "turn", [on_attention(model, n, position_embeddings=still) for n in range(30)], {}
    yield "places", (), dict(position_ids=2 * torch.arange(L)[None])


def seen(model, ids):
    """What a pass computes on its way: the stream, the weights, what was added."""
    added = {"attention": [], "mlp": []}

    def keep(name, module, args, output):
        added[name].append((output[0] if isinstance(output, tuple) else output)[0])

    hooks = []
    for layer in model.model.layers:
        for name, part in (("attention", layer.self_attn), ("mlp", layer.mlp)):
            hooks.append(part.register_forward_hook(lambda *a, n=name: keep(n, *a)))
    with hooked(*hooks):
        out = model(ids, output_hidden_states=True, output_attentions=True)
    stream = torch.stack(out.hidden_states[:-1])[:, 0]  # the last one is normed
    maps = torch.stack(out.attentions)[:, 0]
    return dict(
        stream=stream[::6, -3:],
        weights=maps[::6, :, -2:],
        from_attention=torch.stack(added["attention"])[::6, -2:],
        from_mlp=torch.stack(added["mlp"])[::6, -2:],
    )


@torch.no_grad()
def references():
    """Name -> array."""
    found = {"made_by": np.array(f"transformers {transformers.__version__}")}
    for n, sizes in enumerate(SMALL):
        model, seed = small(sizes, n), torch.Generator().manual_seed(n)
        tokens = torch.randint(sizes[0], (2, 11), generator=seed)
        found[f"small/{n}/tokens"], found[f"small/{n}/logits"] = tokens, model(tokens).logits
        state = model.state_dict()
        if model.config.tie_word_embeddings:
            state.pop("lm_head.weight", None)
        for name, x in state.items():
            found[f"small/{n}/state/{name}"] = x.half()
    model, (_, tokenizer) = real(), load()
    pieces = torch.tensor(tokenizer.encode(PROSE.read_text(encoding="utf-8")).ids)
    columns = torch.randperm(len(model.get_input_embeddings().weight))[:COLUMNS]
    columns = columns.sort().values
    long, ids = pieces[None, 1000:1200], pieces[None, 2000:2040]
    found |= {"real/columns": columns, "real/long": long, "real/ids": ids}
    found["real/logits"] = model(long).logits[0][:, columns]
    found |= {f"real/seen/{name}": x for name, x in seen(model, ids).items()}
    for name, hooks, options in edits(model, ids):
        with hooked(*hooks):
            logits = model(ids, **options).logits[0]
        found[f"real/edits/{name}"] = logits[1::4, columns]
    for n, prompt in enumerate(PROMPTS):
        start = torch.tensor([tokenizer.encode(prompt).ids])
        text = model.generate(start, max_new_tokens=64, do_sample=False)
        top = model(text).logits[0, start.shape[1] - 1 : -1].topk(2).values
        found[f"real/prompts/{n}"] = start
        found[f"real/written/{n}"] = text
        found[f"real/margin/{n}"] = top[:, 0] - top[:, 1]
    return {name: x.numpy() if torch.is_tensor(x) else x for name, x in found.items()}


def differences(found, stored):
    """What differs between new arrays and the stored ones, a line for each."""
    for name in sorted({*found, *stored} - {"made_by"}):
        if name not in found or name not in stored or found[name].shape != stored[name].shape:
            yield f"{name}: another shape, or not in both"
            continue
        new, old = (x[name].astype(np.float64) for x in (found, stored))
        off = np.abs(new - old).max() / max(1.0, np.abs(old).max())
        if not off <= (1e-4 if found[name].dtype.kind == "f" else 0):
            yield f"{name}: off by {off:.1e} of the largest"


def main():
    torch.manual_seed(0)
    found = references()
    if STORED.exists() and not os.environ.get("NEW"):
        with np.load(STORED) as file:
            stored = dict(file)
        lines = list(differences(found, stored))
        print("\n".join(lines) or f"as {stored['made_by']} said: {len(stored)} arrays")
        return int(bool(lines))
    np.savez_compressed(STORED, **found)
    print(f"{STORED.name}: {len(found)} arrays, {STORED.stat().st_size / 1e3:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
