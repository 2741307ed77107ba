"""The colours of the five roles, the greys of all else, and how lines without a role look.

One table for every figure, still (matplotlib) or live (CSS).

A query is orange wherever it is drawn, and so on; the place and the label always say the role too.

The values were searched for, not picked. Each colour stands out from a white and from a nearly
black (#111) page by at least 3:1, the least that WCAG 2.2 (success criterion 1.4.11) asks of
marks; that leaves only luminances from 0.117 to 0.3, too few to tell five colours apart by light
and dark alone, so hue must do it for every reader. Between any two the CIEDE2000 distance is at
least 28 for normal sight and at least 19 for a reader without red, green or blue cones (Machado,
Oliveira & Fernandes 2009, severity 1). A free search ended near 22 for the least distance of all
four, with louder colours; these are calmer, and query and key are at least 41 apart for everyone.
Text keeps the page's own colour: small letters need 4.5:1, which not every role reaches.
"""

ROLES = {
    "query": "#d08220",  # orange; warm, and farthest from the key
    "key": "#096a7c",  # teal
    "value": "#38a485",  # green, cool like the key: both belong to the word that is looked at
    "weight": "#968cc4",  # lavender, the palest: weights fill the largest areas
    "output": "#ae3c3f",  # brick red
}

# What plays no role is grey, from the darkest to the lightest. Text has only the first and the
# third: both have at least 4.5:1 on white, as small letters need.
INK = "#222222"  # text, and what stands out without a role
DARK = "#4d4d4d"  # arrows, and the edges of parts
FAINT = "#767676"  # captions, and lines that only lead from one thing to the next
MIDDLE = "#999999"  # points and boxes beside those that matter
PALE = "#bfbfbf"  # what is there, but not followed
HAIR = "#d9d9d9"  # the lines through 0, and weights of the other queries
GROUND = "#eeeeee"  # the face of a box that plays no role, and of a cell that nobody may see

# Lines of no role, in the order in which they are taken; they differ by style as well.
SHADES = ("#1a1a1a", "#808080", "#b0408f", "#2b6cd4", "#7a5c1e")  # none is near a role's colour
LINE_STYLES = ("-", "--", ":", "-.")
MARKERS = "osD^v"

# Layers: what a name begins with -> colour and style, alike in every figure; none is a role's.
LAYERS = {
    "CNN, dilated": ("#2b6cd4", "--"),
    "CNN, contiguous": ("#808080", "-."),
    "CNN": ("#454c54", "-"),
    "RNN": ("#b08d57", "-"),
    "LSTM, gate open": ("#b0408f", "--"),
    "LSTM": ("#6b4423", ":"),
    "attention": ("#111111", "-"),
}
