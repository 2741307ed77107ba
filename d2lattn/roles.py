"""The colour of each role, the same in every figure of the book, drawn or live.

Each reaches a contrast of 3:1 as a mark on white and on a dark page (#111), and the five stay apart
for colour-blind readers; no figure tells roles apart by colour alone.
"""

ROLES = {
    "query": "#2f7fd6",  # blue: who asks
    "key": "#c9720c",  # orange: who answers
    "value": "#1f9160",  # green: what is carried
    "weight": "#9a5fd0",  # purple: the share
    "output": "#dd4a48",  # vermilion: what comes out
}
