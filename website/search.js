// The search field: results are sections, with the words around what was found.
(() => {
  const root = document.documentElement.dataset.content_root;
  const SILENT = new Set(
    "a an and are be by can do does for from how i in is it not of on or the to what when which who why with".split(" "),
  );
  const FIELDS = { title: 4, asked: 5, indexed: 5, terms: 4, page: 1, text: 1, code: 0.3 };
  // What others write for what the book writes.
  const ALSO = {
    gqa: "grouped query", mqa: "multi query", mla: "latent", bpe: "pieces", heatmap: "picture",
    kv: "keys values", junk: "nonsense wrong", garbage: "nonsense wrong", hide: "hidden", inf: "∞",
    ring: "ranks processes",
  };
  const SPELT = ["asked", "indexed", "text", "code"]; // where the words stand side by side
  const SHOWN = 20;
  let index;

  // A name of the package is found whole and by its parts: ring_attention, RingAttention.
  const words = (text) =>
    text
      .replaceAll("√", " sqrt ")
      .split(/[^\p{L}\p{N}_∞]+/u)
      .filter(Boolean)
      .flatMap((word) => {
        const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
        return parts.length > 1 ? [word, ...parts] : [word];
      })
      .map((word) => word.toLowerCase());
  const stem = (word) => (SILENT.has(word) ? null : word.length > 3 ? word.replace(/(?<!s)s$/, "") : word);

  function makeIndex(sections) {
    const made = new MiniSearch({
      fields: Object.keys(FIELDS),
      storeFields: ["page", "place", "anchor", "title", ...SPELT],
      tokenize: words,
      processTerm: stem,
    });
    made.addAll(sections.map((section, id) => ({ ...section, id })));
    return made;
  }

  function load() {
    index ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = `${root}_static/sections.js`;
      script.onload = () => done(makeIndex(SECTIONS));
      document.head.append(script);
    });
    return index;
  }

  // How rare a word is among the sections, from 0 (in all of them) to 1 (in one of them).
  function rarities(made, query) {
    const rare = new Map();
    for (const term of new Set(words(query).map(stem).filter(Boolean))) {
      const sections = made.search(term, { prefix: term.length > 3 }).length;
      rare.set(term, sections ? Math.log(made.documentCount / sections) / Math.log(made.documentCount) : 0);
    }
    return rare;
  }

  // A rare word counts more than one that is everywhere, and a section with all the words more than
  // one that says one of them often.
  function find(made, query) {
    const rare = rarities(made, query);
    const all = [...rare.values()].reduce((sum, one) => sum + one, 0) || 1;
    const also = words(query).map((word) => ALSO[word]).filter(Boolean).join(" ");
    const isName = /[_.]\w/.test(query);
    const options = {
      boost: FIELDS,
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      boostTerm: (term) => 0.1 + (rare.get(term) ?? 0.2),
      boostDocument: (id, term, { place, anchor, title }) =>
        /^lecturer/.test(place) ? 0.3 : /^reference/.test(place) ? (isName ? 0.6 : 0.15)
          : /^Sources/.test(title) ? 0.2 : /Exercise/.test(title) ? 0.5 : anchor ? 1 : 0.6,
    };
    const phrase = words(query).join(" ");
    const together = (result) =>
      ["title", ...SPELT].some((field) => words(result[field] ?? "").join(" ").includes(phrase));
    const covered = ({ queryTerms }) =>
      queryTerms.reduce((sum, term) => sum + (rare.get(term) ?? 0), 0) / all;
    const weigh = (result) =>
      result.score * (0.1 + covered(result)) ** 2 * (together(result) ? 1.5 : 1);
    return made.search(`${query} ${also}`, options)
      .map((result) => ({ ...result, score: weigh(result) }))
      .sort((one, other) => other.score - one.score);
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
