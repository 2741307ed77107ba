// The search field: results are sections, with the words around what was found.
(() => {
  const root = document.documentElement.dataset.content_root;
  const SILENT = new Set(
    "a an and are be by can do does for from how i in is it not of on or the to what when which who why with".split(" "),
  );
  const FIELDS = { title: 4, asked: 5, terms: 4, page: 1, text: 1, code: 0.3 };
  const SHOWN = 20;
  let index;

  const words = (text) =>
    text.toLowerCase().replaceAll("√", " sqrt ").split(/[^\p{L}\p{N}_∞]+/u).filter(Boolean);
  const stem = (word) => (SILENT.has(word) ? null : word.length > 3 ? word.replace(/(?<!s)s$/, "") : word);

  function load() {
    index ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = `${root}_static/sections.js`;
      script.onload = () => {
        const made = new MiniSearch({
          fields: Object.keys(FIELDS),
          storeFields: ["page", "place", "anchor", "title", "text"],
          tokenize: words,
          processTerm: stem,
        });
        made.addAll(SECTIONS.map((section, id) => ({ ...section, id })));
        done(made);
      };
      document.head.append(script);
    });
    return index;
  }

  function find(made, query) {
    return made.search(query, {
      boost: FIELDS,
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      boostDocument: (id, term, { place, title }) =>
        /^lecturer/.test(place) ? 0.4 : /^reference/.test(place) ? 0.6 : /⊕|Exercise/.test(title) ? 0.7
          : /^1[01]_/.test(place) ? 0.7 : 1, // a term is explained before chapters 10 and 11
    });
  }

  function excerpt(text, terms) {
    const low = text.toLowerCase();
    const at = Math.max(0, Math.min(...terms.map((term) => low.indexOf(term)).filter((i) => i >= 0), low.length));
    const from = at < low.length ? Math.max(0, low.lastIndexOf(" ", at - 60)) : 0;
    const shown = text.slice(from, from + 180);
    const line = document.createElement("p");
    const parts = shown.split(/([\p{L}\p{N}_]+)/u);
    line.append(
      from ? "… " : "",
      ...parts.map((part) => {
        if (!terms.some((term) => part.toLowerCase().startsWith(term))) return part;
        const mark = document.createElement("mark");
        mark.textContent = part;
        return mark;
      }),
      from + 180 < text.length ? " …" : "",
    );
    return line;
  }

  function show(found, results, query) {
    const list = document.createElement("ol");
    for (const { page, place, anchor, title, text, terms } of results.slice(0, SHOWN)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${root}${place}.html${anchor && "#" + anchor}`;
      link.textContent = title;
      const chapter = document.createElement("small");
      chapter.textContent = title === page ? "" : page;
      item.append(link, chapter, excerpt(text, terms));
      list.append(item);
    }
    const count = document.createElement("p");
    count.setAttribute("role", "status");
    count.textContent = query && (results.length ? `${results.length} sections` : "Nothing found");
    found.replaceChildren(count, list);
    found.dataset.query = query;
  }

  for (const form of document.querySelectorAll("form.bd-search")) {
    const found = form.parentElement.querySelector(".found");
    const field = form.querySelector("input");
    const search = async () => {
      const query = field.value.trim();
      const made = await load();
      if (query === field.value.trim()) show(found, query ? find(made, query) : [], query);
    };
    field.addEventListener("input", search);
    field.addEventListener("focus", load, { once: true });
    found.addEventListener("click", (event) => {
      if (event.target.closest("a")) form.closest("dialog")?.close();
    });
    const asked = new URLSearchParams(location.search).get("q");
    if (asked && found.id) {
      field.value = asked;
      search();
    }
  }
})();
