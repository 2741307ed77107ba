"""Does a real model's *apple* stand near the *apple* of the same sense?"""

import functools

import real
import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn_book.real import trace

POINTS = (0, 1, 2, 3, 6, 12, 18, 24, 30)

# Each sentence ends in the word. Ten of one sense, ten of the other; the last three words have one
# sense, and two topics.
APPLE = (
    """She peeled a ripe red
He baked a pie with a sweet
In the orchard we picked an
For dessert the child ate an
The recipe needs sugar, butter and one
A worm had eaten into the
The tree was heavy, and down fell an
Beside the pears and plums lay an
The horse was happy to be given an
Every morning with her breakfast she eats an""",
    """The new phone was made by
Shares rose sharply after the earnings report of
She works as a software engineer at
The laptop and the tablet are both from
Google, Microsoft and
The court fined the technology company
Investors sold their stock in
The music service belongs to
The operating system was developed by
The chief executive announced a new watch from""",
)
BAT = (
    """In the dark cave slept a
With its leathery wings flew a
At dusk an insect was caught by a
Upside down from the beam hung a
By its echoes the moth is found by the
A small furry animal that flies is the
The owl, the moth and the
In the attic the children found a sleeping
The only mammal that can truly fly is the
Out of the belfry came a""",
    """The player swung his
He hit the ball hard with a
Before the game she bought a glove and a
The umpire checked the weight of the
The batter walked to the plate with his
Made of ash wood was the
In the last inning he broke his
The coach handed the boy a helmet and a
A home run came off his
For practice bring a ball and a""",
)
BANK = (
    """She opened an account at the
He borrowed the money from a
The loan was approved by the
Interest rates were raised by the central
The robbers escaped with cash from the
Every month I pay my mortgage to the
The cashier counted the notes at the
His salary is paid into the
A cheque was sent to the
The crisis began with the failure of a""",
    """They sat fishing on the river
The boat was pulled up onto the
Reeds and willows grow along the
The flood washed over the
The otter climbed out of the water onto the
We walked beside the stream on its grassy
The canoe was tied to a tree on the
Cattle came down to drink at the muddy
The swimmer reached the opposite
Ducks were nesting on the""",
)
SPRING = (
    """The flowers bloom in
After a long winter came
The birds return every
Farmers sow their fields in
The snow melts in
Cherry trees blossom in early
The days grow longer in
Summer, autumn, winter and
The students go on holiday in
Lambs are born in the""",
    """The mattress has a broken
The watchmaker replaced a tiny
The lid is held by a metal
Stretch it twice as far and twice the force pulls the
The weight hangs from a coiled
The car's suspension needs a new
Inside the pen there is a small
The energy is stored in a compressed
The mousetrap snaps with a strong
Hooke's law describes the force of a""",
)
LIGHT = (
    """The lamp gives a warm
The prism splits the
Through the window came the morning
The moon reflects the sun's
Plants turn towards the
Nothing travels faster than
The room was dark until he switched on the
The camera needs more
At the end of the tunnel we saw a
The candle's flame gave little""",
    """The suitcase was empty and very
A feather is
Carbon fibre makes the bicycle
Her backpack was small and
Compared to lead, aluminium is
The box looked heavy, but it was surprisingly
Balsa is a wood that is soft and
The runner's new shoes are
The child could lift it, for it was so
Helium balloons rise because the gas is""",
)
PLANT = (
    """Water the roots of the
On the window sill stood a green
The gardener pruned the
The leaves are poisonous on this
The seed grew into a tall
Bees visit the flowers of the
The desert is home to a thorny
In the pot there was a dying
Sunlight and rain feed the
The botanist named a new""",
    """The workers went on strike at the
Cars are assembled at the
The company closed its steel
Five hundred people lost their jobs at the
Electricity comes from the nuclear
Engineers inspected the machines of the
The chimneys belong to a chemical
A new assembly line was built in the
Managers raised the output of the
The lorry delivered parts to the""",
)
DOOR = (
    """The cook came in through the kitchen
She hung her coat beside the front
The carpenter planed the oak
Somebody knocked at the bedroom
The key does not fit the cellar
The cat waits at the garden
We painted the hall and its
The landlord changed the lock of the
A draught came from under the
The guests were greeted at the""",
    """The driver got out and slammed the
The taxi had a dent in its
The mechanic replaced the window of the rear
The passenger could not open the
The crash had jammed the left
The sports car has only one
She scratched the paint of the
The child's fingers were caught in the van's
In the car park he hit another car's
The seat belt was stuck in the""",
)
WATER = (
    """Boil the pasta in salted
Add flour, yeast and warm
The cook filled the pot with
Rinse the rice in cold
For the soup take two litres of
Drain the beans and keep the
The tea is made with hot
Dissolve the sugar in a cup of
Steam the vegetables over a little
The dough was too dry and needed""",
    """The ship sank in deep
The sailors fell into the icy
A whale came up out of the
The divers went down into the dark
The storm drove waves of grey
The submarine disappeared under the
The harbour has shallow
Sharks were seen in the coastal
The anchor dropped into the
The island is surrounded by clear""",
)
SENTENCES = dict(apple=APPLE, bat=BAT, bank=BANK, spring=SPRING, light=LIGHT, plant=PLANT)
SENTENCES |= dict(door=DOOR, water=WATER)


def run(variant, seed, steps):
    """How often the nearest of eight and eight sentences is of the same sense, by layer."""
    streams, others = streams_of(variant)
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.stack([torch.randperm(10, generator=generator)[:8] + s for s in (0, 10)])
    chosen, sense = chosen.flatten(), torch.arange(16) // 8
    found = {f"point {n}": same(streams[n, chosen], sense) for n in POINTS}
    at_random = sense[torch.randperm(16, generator=generator)]
    found["point 12, senses at random"] = same(streams[12, chosen], at_random)
    found["the other words' embeddings"] = same(others[chosen], sense)
    return found


def same(x, sense):
    """How often the nearest vector, without their mean, is of the same sense; ties in parts."""
    x = F.normalize((x - x.mean(0)).double(), dim=-1)
    cosines = (x @ x.T).fill_diagonal_(-2)
    nearest = cosines > cosines.amax(1, keepdim=True) - 1e-9  # all, where vectors are the same
    nearest = nearest & ~torch.eye(len(x), dtype=torch.bool)
    agree = sense[:, None] == sense
    return ((nearest & agree).sum(1) / nearest.sum(1)).mean().item()


@functools.cache
def streams_of(word):
    """The word's stream in its 20 sentences, (31, 20, E), and the mean embedding of the words
    before it, (20, E)."""
    streams, others = [], []
    for sentence in "\n".join(SENTENCES[word]).splitlines():
        tokens = real.encode(f"{sentence} {word}")
        if tokens[0, -1] != real.piece(word):
            raise ValueError(f"the word must be the last piece, got {sentence!r}")
        seen = trace(real.model(), tokens, keep=["stream"])
        streams.append(seen.stream[:, 0, -1])
        others.append(seen.stream[0, 0, :-1].mean(0))
    return torch.stack(streams, 1), torch.stack(others)


EXPERIMENT = Experiment(
    section="9.2",
    varies="the word: six of two senses, and two of one sense in sentences on two topics; a seed "
    "draws eight of ten sentences of each kind",
    held="the word is the last piece, so that all it knows comes from what stands before it; the "
    "nearest by the cosine, the mean of the sixteen removed; the stream's point 0 is the "
    "embedding, point n the stream behind n layers",
    control="senses at random, which must give about a half; the mean embedding of the words "
    "before, without any model: if it is as good, no layer was needed; and *door* and *water*: if "
    "they part as well as the others, it is the topic that is told, and a sense only with it",
    refuted="the nearest is of the other sense in more than a quarter of the cases at all points",
    variants={
        "apple": "*apple*, fruit or company",
        "bat": "*bat*, animal or club",
        "bank": "*bank*, money or river",
        "spring": "*spring*, season or coil",
        "light": "*light*, what shines or not heavy",
        "plant": "*plant*, green or factory",
        "door": "*door*, of a house or a car",
        "water": "*water*, in the kitchen or at sea",
    },
    run=run,
    steps=None,
    seeds=16,
)
