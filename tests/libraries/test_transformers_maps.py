"""The maps of models of transformers, as one live figure. Runs with `make test-libraries`."""

import re
from pathlib import Path

import pytest
import torch
import transformers
from live_kinds import data_of
from live_kinds import sent_maps as sent
from test_live_maps import byte_level
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from d2lattn_book.pictures import maps
from d2lattn_book.pictures.model_maps.pieces import ids_of, names_of

ROOT = Path(__file__).resolve().parents[2]
README, PACKAGE = ROOT / "README.md", ROOT / "docs" / "package.md"
SIZES = dict(vocab_size=31, hidden_size=24, num_hidden_layers=4, num_attention_heads=4)
KV = dict(num_key_value_heads=2, head_dim=6, intermediate_size=20, max_position_embeddings=64)
IDS = torch.tensor([[3, 7, 9, 3, 7, 30, 0, 3]])


def of(name, **options):
    """A model of transformers with random weights, of the configuration `name`Config."""
    config = getattr(transformers, f"{name}Config")(**SIZES | KV | options)
    torch.manual_seed(5)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


@torch.no_grad()
def eager_maps(model):
    """Layer by layer what the model itself gives, with eager attention."""
    model.set_attn_implementation("eager")
    return model(input_ids=IDS, output_attentions=True).attentions


def assert_maps(model, layers):
    """The figure has the maps that the model gives, at these layers."""
    figure = maps(model, IDS)
    data = data_of(figure)
    assert data["layers"] == layers
    weights = torch.cat(eager_maps(model)).double()
    assert ((sent(figure) / 255 - weights).abs() < 1 / 255).all()
    assert (sent(figure).sum(-1) == 255).all()
    return data


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("name", ["Llama", "Qwen3", "Gemma3Text", "Mistral"])
def test_decoders_give_the_maps_that_they_compute(name, attention):
    model = of(name)
    model.set_attn_implementation(attention)
    assert_maps(model, [0, 1, 2, 3])


def test_gpt2_bert_and_a_model_in_bfloat16():
    gpt2 = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(vocab_size=31, n_embd=24, n_layer=2, n_head=4)
    )
    assert gpt2.training
    maps(gpt2, IDS)
    assert gpt2.training
    assert_maps(gpt2.eval(), [0, 1])
    bert = transformers.BertModel(transformers.BertConfig(**SIZES, intermediate_size=20)).eval()
    assert_maps(bert, [0, 1, 2, 3])
    assert_maps(of("Llama").to(torch.bfloat16), [0, 1, 2, 3])


def test_layers_without_maps_are_named():
    model = of("Lfm2", layer_types=["conv", "full_attention", "conv", "full_attention"])
    assert assert_maps(model, [1, 3])["without"] == [0, 2]
    with pytest.raises(ValueError, match=r"^layers must have maps, got 0: only 1, 3 have"):
        maps(model, IDS, layers=[0])


def test_a_model_without_attention_is_refused():
    with pytest.raises(ValueError, match=r"^model must attend by .* none of these from MambaForCa"):
        maps(of("Mamba", state_size=4), IDS)


def test_patches_of_an_image_in_the_example_of_the_docs(tmp_path, monkeypatch):
    examples = re.findall(r"```python\n(.*?)```", PACKAGE.read_text(encoding="utf-8"), re.S)
    (example,) = [one for one in examples if "ViTModel" in one]
    monkeypatch.chdir(tmp_path)
    exec(example, names := {})
    assert abs((tmp_path / "vit.html").stat().st_size - 2.6e6) < 0.1e6
    vit, image = names["vit"].eval(), names["image"]
    assert maps(vit, {"pixel_values": image}, query="CLS", layers=[0, 4, 8, 11]).html == (
        names["figure"].html
    )
    vit.set_attn_implementation("eager")
    with torch.no_grad():
        given = vit(image, output_attentions=True).attentions
    weights = torch.cat([given[layer] for layer in (0, 4, 8, 11)])
    assert ((sent(names["figure"]) / 255 - weights).abs() < 1 / 255).all()
    assert data_of(names["figure"])["tokens"][:2] == ["CLS", "(0, 0)"]


def test_with_sdpa_a_call_gives_no_maps_in_silence_and_a_config_is_refused():
    """As 91.11 says."""
    model = of("Llama")
    assert model(input_ids=IDS, output_attentions=True).attentions == ()
    with pytest.raises(ValueError, match=r"not supported .* sdpa"):
        model.config.output_attentions = True
    assert len(eager_maps(model)) == 4


# Encoder-decoders, sinks, and the example of the README ------------------------------------------

PAIR = dict(vocab_size=31, d_model=8, decoder_start_token_id=1, eos_token_id=2, pad_token_id=0)
HALF = dict(encoder_layers=2, decoder_layers=3, encoder_attention_heads=2,
            decoder_attention_heads=4, encoder_ffn_dim=8, decoder_ffn_dim=8)  # fmt: skip


def pairs():
    t5 = dict(d_kv=4, d_ff=8, num_layers=2, num_decoder_layers=3, num_heads=2)
    return {
        "T5": transformers.T5ForConditionalGeneration(transformers.T5Config(**PAIR, **t5)),
        "Bart": transformers.BartModel(transformers.BartConfig(**PAIR, **HALF)),
    }


@pytest.mark.parametrize("name", ["T5", "Bart"])
def test_encoder_decoders_give_each_of_their_three_kinds_of_maps(name):
    model, read = pairs()[name].eval(), torch.tensor([[1, 7, 9, 3, 4]])
    figures = {part: maps(model, IDS, target=read, part=part) for part in ("cross", "decoder")}
    figures["encoder"] = maps(model, IDS, part="encoder")
    assert maps(model, IDS, target=read).html == figures["cross"].html
    model.set_attn_implementation("eager")
    with torch.no_grad():
        given = model(input_ids=IDS, decoder_input_ids=read, output_attentions=True)
    for part, figure in figures.items():
        weights = torch.cat(given[f"{part}_attentions"]).double()
        assert ((sent(figure) / 255 - weights).abs() < 1 / 255).all(), part
    data = data_of(figures["cross"])
    assert data["tokens"] == [str(i) for i in read[0].tolist()]
    assert data["key_tokens"] == [str(i) for i in IDS[0].tolist()]
    same = next(kind["heads"] for kind in data["standing"] if kind["name"] == "same token")
    assert len(same) == 5  # 7, 9 and 3 stand in both
    with pytest.raises(ValueError, match=r"^target must be what the decoder reads, got None"):
        maps(model, IDS)
    with pytest.raises(ValueError, match=r"^target must be a string, or the numbers .*, got \[0.5"):
        maps(model, IDS, target=[0.5])


def test_whisper_attends_from_words_to_sound():
    sizes = dict(num_mel_bins=8, max_source_positions=7, max_target_positions=20, **HALF)
    model = transformers.WhisperModel(transformers.WhisperConfig(**PAIR, **sizes)).eval()
    sound, read = torch.randn(1, 8, 14), [1, 7, 9, 3]
    # It begins as the model begins.
    figure = maps(model, sound, [f"w{i}" for i in range(31)], target="w1 w7 w9 w3")
    model.set_attn_implementation("eager")
    with torch.no_grad():
        given = model(sound, decoder_input_ids=torch.tensor([read]), output_attentions=True)
    weights = torch.cat(given.cross_attentions)
    assert ((sent(figure) / 255 - weights).abs() < 1 / 255).all()
    assert data_of(figure)["tokens"] == ["w1", "w7", "w9", "w3"]


def words_of(*special):
    """A tokenizer that knows these marks and a few words."""
    known = [*special, *["the", "cat", "sat", "because", "it", "was", "tired", "."], "The"]
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(known)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def test_a_target_that_is_a_text_begins_as_the_model_begins():
    tokenizer = words_of("[PAD]", "[START]", "[END]", "[UNK]")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [END]", special_tokens=[("[END]", 2)]
    )
    for model in pairs().values():
        data = data_of(maps(model, "the cat sat .", tokenizer, target="the cat"))
        assert data["key_tokens"] == ["the", "cat", "sat", ".", "[END]"]
        assert data["tokens"] == ["[START]", "the", "cat"]
        own = dict(target="the cat", tokens=["a", "cat", "sat"])  # names that are to be compared
        data = data_of(maps(model, "the cat sat .", tokenizer, **own))
        assert data["standing"][1]["name"] == "same token" and data["standing"][1]["heads"]


def test_the_share_of_a_sink_is_the_column_nothing():
    model = of("GptOss", num_local_experts=2, num_experts_per_tok=1)
    figure = maps(model, IDS)
    given = torch.cat(eager_maps(model)).double()
    assert given.sum(-1).max() < 0.9
    assert ((sent(figure)[..., :-1] / 255 - given).abs() < 1 / 255).all()
    assert (sent(figure).sum(-1) == 255).all()
    assert data_of(figure)["key_tokens"][-1] == "nothing"
    assert data_of(figure)["standing"][-1]["name"] == "nothing"


@pytest.mark.parametrize("name", ["bert-base-uncased", "Qwen/Qwen3-0.6B"])
def test_the_readmes_four_lines_make_a_page(name, tmp_path, monkeypatch):
    """With models of these classes and random weights, stored and loaded as a reader's are."""
    tokenizer = words_of("[PAD]", "[UNK]", "[CLS]", "[SEP]")
    sizes = SIZES | dict(intermediate_size=20)
    if "bert" in name:
        model = transformers.BertModel(transformers.BertConfig(**sizes))
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    else:
        model = transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**SIZES | KV))
    model.save_pretrained(tmp_path / "model")
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(
        tmp_path / "model"
    )
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert len(code.split("\n\n")) == 2 and len(code.splitlines()) == 5 and f'"{name}"' in code
    stored = code.replace('"bert-base-uncased"', repr(str(tmp_path / "model")), 1)
    exec(stored, {})
    page = (tmp_path / "maps.html").read_text(encoding="utf-8")
    words = re.search(r"data-live='([^']*)'", page)[1]
    assert '"shape":[4,4,' in words
    assert ('"[CLS]","The","cat"' if "bert" in name else '["The","cat"') in words


def test_the_page_of_audit_asks_a_model_of_transformers(capsys):
    page = (README.parent / "docs" / "audit.md").read_text(encoding="utf-8")
    first, *_ = blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    (theirs,) = [code for code in blocks if "transformers" in code]
    exec(f"import torch\n{first}{theirs}", {})
    assert capsys.readouterr().out.count("Nothing found.") == 2


# Tokenizers --------------------------------------------------------------------------------------


def test_pieces_are_named_as_with_the_library_below():
    ours = byte_level()
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_object=ours)
    text = "b a\n\té. ab ,\u00ad<|end|>"
    ids = ids_of(text, theirs)
    assert ids == ids_of(text, ours)
    assert names_of(ids, theirs) == names_of(ids, ours)
    assert names_of([3, 299], theirs)[1] == "299"
