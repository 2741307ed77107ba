"""Exercises of chapter 10: what attention has become since."""

EXERCISES = {}
