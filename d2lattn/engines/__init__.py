"""How the formula is computed: nobody who reads a chapter imports from here."""
