"""The colours of the five roles: one table for every figure, still (matplotlib) or live (CSS).

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
    "query": "#d08220",  # orange: who asks; warm, and farthest from the key
    "key": "#096a7c",  # petrol: who answers
    "value": "#38a485",  # green, cool like the key: both belong to the word that is looked at
    "weight": "#968cc4",  # lavender, the palest: shares fill the largest areas
    "output": "#ae3c3f",  # brick red: what comes out
}
