"""What are a mask, a second layer and positions for, to who trains a model on the website?"""

import json
import pathlib
import subprocess

from experiment import Experiment

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRAIN = ROOT / "d2lattn_book" / "pictures" / "live" / "train"
PROGRAM = f"""
import {{settingsOf}} from {json.dumps((TRAIN / "tasks.js").as_uri())};
import {{serve}} from {json.dumps((TRAIN / "engine.js").as_uri())};
const {{task, models, steps}} = JSON.parse(process.argv[1]), told = [], waiting = [];
const receive = serve(news => told.push(news), act => waiting.push(act), 1000);
const begin = models.map(model => settingsOf(task, model));
receive({{task, begin, run: 1, said: null, steps}});
while (waiting.length) waiting.shift()();
console.log(JSON.stringify(told.at(-1).news.map(({{exams}}, k) => [exams.at(-1),
  told.flatMap(({{news}}) => [...news[k].losses]).at(-1)])));
"""
ASKED = {  # the task of each question, its model as it opens, and the one thing that is changed
    "mask": ("sentences", {}, {"mask": False}),
    "layers": ("copy", {}, {"layers": 1}),
    "positions": ("back", {}, {"positions": "none"}),
    "order": ("back", {"layers": 2, "positions": "none"}, {"mask": False}),
}


def run(variant, seed, steps):
    """The fractions of right answers and the losses of both models; the page's first seed is 1."""
    task, model, change = ASKED[variant]
    models = [model | {"seed": 1 + seed} | one for one in ({}, change)]
    case = json.dumps(dict(task=task, models=models, steps=steps))
    node = ["node", "--input-type=module", "-e", PROGRAM, case]
    done = subprocess.run(node, capture_output=True, encoding="utf-8", check=True)
    found = {}
    for name, (exam, loss) in zip(("", "changed: "), json.loads(done.stdout), strict=True):
        found[f"{name}held-out accuracy"] = exam["right"]
        found[f"{name}training loss"] = loss
        found[f"{name}held-out loss"] = exam["loss"]
    return found


EXPERIMENT = Experiment(
    section="Train one yourself",
    varies="the one thing that each of the four questions changes: the mask, a layer, positions, "
    "and the mask of two layers without positions",
    held="start, texts and everything else of the two models that stand beside one another; the "
    "page shows the seeds 1, 2 and 3, which are the first three",
    control="the model as the page opens it, which must be right where the changed one is not",
    refuted="the held-out accuracy of the changed model is as high, or, without its mask, its "
    "held-out loss is as low",
    steps=50,
    plan={"mask": {3: 8}, "layers": {10: 8}, "positions": {2: 8}, "order": {6: 8}},
    variants={
        "mask": "sentences: the mask off",
        "layers": "associative recall: one layer instead of two",
        "positions": "previous token: no positions",
        "order": "two layers without positions: the mask off",
    },
)
