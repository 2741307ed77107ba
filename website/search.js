// The search field: results are sections, with the words around what was found.
(() => {
  const root = document.documentElement.dataset.content_root;
  const FIELDS = { title: 3, asked: 2, indexed: 2, terms: 4, page: 1, text: 1, code: 0.3 };
  // A message of a program, or what somebody sees who has no message; code in a question is none.
  const MESSAGE = /\w(Error|Exception|Warning)\b|Assertion|not compatible|\b(nans?|crash\w*|fail\w*|garbage|nonsense|gibberish|diff\w+ \w*(result|output|number|token|text|logit)\w*|differs( from .*)?$|samples? (are|is)|all (the same|zeros?)|(is|are|weights) none|val\w* loss (is |much )*lower|out of memory|only supports?|stuck|debug|bugs?|not (match|equal|learn|work|decrease)\w*|off by one|perplexity (is |of |= ?)*1\b|inverted|shifted|wrong|worse|cheats?|leaks?)\b/i;
  const CODE = /[_={[]/;
  const QUESTION = /^(why|how|what|which|when|does|do|can|is|are|should)\b|\?\s*$/i;
  const LIKE = 8; // how much more a title or a question counts that is the reader's
  const SHOWN = 20;
  let index;

  // A name of the package is found whole and by its parts: ring_attention, RingAttention.
  const words = (text) =>
    text
      .replace(/√|square root( of)?/gi, " sqrt ")
      .split(/[^\p{L}\p{N}_∞]+/u)
      .filter(Boolean)
      .flatMap((word) => {
        const parts = word.split(/_|(?<=\p{Ll})(?=\p{Lu})/u).filter(Boolean);
        return parts.length > 1 ? [word, ...parts] : [word];
      })
      .map((word) => word.toLowerCase());
  // What a word has in common with its other forms: query, queries; share, shared, sharing.
  const stem = (word) => {
    if (WORDS.silent.includes(word)) return null;
    if (word.length < 4) return word;
    const ended = word.replace(/(?<!s)s$/, "").replace(/(?<=[aeiouy]\p{L}*)(?:ing|(?<!e)ed)$/u, "");
    return ended.length < 4 ? ended : ended.replace(/(?:e|ie|y)$/, "").replace(/(\p{L})\1$/u, "$1");
  };

  const stems = (text) => new Set(words(text).map(stem).filter(Boolean));

  function makeIndex(sections) {
    const made = new MiniSearch({
      fields: Object.keys(FIELDS),
      storeFields: ["page", "place", "anchor", "title", "beyond", "asked", "indexed", "text"],
      tokenize: words,
      processTerm: stem,
    });
    made.addAll(sections.map((section, id) => ({ ...section, id })));
    const counts = new Map();
    for (const section of sections) {
      const said = Object.keys(FIELDS).map((field) => section[field] ?? "").join(" ");
      for (const term of stems(said)) counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    // How rare a word is among the sections, from 0 (in all of them) to 1 (in one of them).
    made.rare = (term) => 1 - Math.log(counts.get(term) ?? 1) / Math.log(sections.length);
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

  // Where the book has it: the core before what lies beyond it, the appendices and the package; and
  // what explains a thing before what builds on it, which comes later.
  const standing = ({ place, anchor, title, beyond }, isTrouble) => {
    if (/^clinic/.test(place)) return isTrouble ? 3 : 0.6;
    if (/^9\d/.test(place) && (!anchor || isTrouble)) return 0.2; // the lists of what stands elsewhere
    if (/^lecturer/.test(place)) return 0.3;
    if (/^reference/.test(place)) return 0.15;
    if (/^(Exercise|Glossary|Refuted|Sources|Supported)/.test(title)) return 0.3;
    const isAside = beyond || /^9\d/.test(place) || /^(Summary|Verdict)/.test(title) || !anchor;
    return isAside ? 0.5 : 1;
  };

  // How many words of a message a text has in a row.
  const inARow = (message, text) => {
    const said = ` ${words(text).join(" ")} `;
    let from = 0;
    for (let to = 1; to <= message.length; to++) if (!said.includes(` ${message.slice(from, to).join(" ")} `)) from++;
    return message.length - from;
  };

  // A rare word counts more than one that is everywhere, a section with all the words more than one
  // that says one of them often, and most of all a title or a question that is much like this one.
  function find(made, query) {
    const isTrouble = MESSAGE.test(query) || (CODE.test(query) && !QUESTION.test(query));
    query = isTrouble ? query.replace(/^[\w.]+(Error|Warning|Exception): |\b\d\S*/g, " ") : query; // sizes are the reader's own
    const asked = stems(query);
    const also = new Map(words(query).map((word) => [stem(word), [...stems(WORDS.also[word] ?? "")]]));
    const has = (terms, term) => [term, ...(also.get(term) ?? [])].some((one) => terms.has(one));
    const sum = (terms) => [...terms].reduce((all, term) => all + made.rare(term), 0);
    const all = sum(asked) || 1;
    const like = (text) => {
      const terms = stems(text);
      return sum([...asked].filter((term) => has(terms, term))) / Math.sqrt(all * (sum(terms) || 1));
    };
    const options = {
      boost: FIELDS,
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      boostTerm: (term) => 0.1 + made.rare(term),
    };
    const covers = (result) => {
      const terms = new Set(result.queryTerms);
      return sum([...asked].filter((term) => has(terms, term))) / all;
    };
    const said = ({ title, asked = "", indexed = "" }) => [title, asked, indexed].join("\n");
    const weigh = (result) => {
      const alike = 1 + LIKE * Math.max(...said(result).split("\n").map(like));
      return (0.1 + covers(result)) ** 1.5 * alike * standing(result, isTrouble);
    };
    const quotes = (result) => Math.max(2, inARow(words(query), `${said(result)}\n${result.text}`));
    const enough = isTrouble ? 0 : 0.4 * Math.min(1, Math.sqrt(3 / asked.size)); // few words in common are no answer
    const best = (results) => results.sort((one, other) => other.score - one.score).slice(0, SHOWN);
    const found = made.search(`${query} ${[...also.values()].flat().join(" ")}`, options)
      .filter((result) => covers(result) > enough)
      .map((result) => ({ ...result, score: Math.sqrt(result.score) * weigh(result) }));
    return best(isTrouble ? best(found).map((one) => ({ ...one, score: one.score * quotes(one) })) : found)
      .filter(({ score }, _, all) => score > all[0].score / 30);
  }

  function excerpt(text, terms) {
    const low = text.toLowerCase();
    const at = Math.max(0, Math.min(...terms.map((term) => low.indexOf(term)).filter((i) => i >= 0), low.length));
    const from = at < low.length ? Math.max(0, low.lastIndexOf(" ", at - 60)) : 0;
    const line = document.createElement("p");
    const parts = text.slice(from, from + 180).split(/([\p{L}\p{N}_]+)/u);
    const isFound = (word) => terms.some((term) => stem(word) === term || (term.length > 3 && word.startsWith(term)));
    line.append(
      from ? "… " : "",
      ...parts.map((part) => {
        if (!words(part).some(isFound)) return part;
        const mark = document.createElement("mark");
        mark.textContent = part;
        return mark;
      }),
      from + 180 < text.length ? " …" : "",
    );
    return line;
  }

  // A query that is a term of the glossary, or another name of one, gets its meaning.
  function meaning(query) {
    const sorted = (text) => [...stems(text)].sort().join();
    const isAsked = (names) => names.split(/[,;] | \(|\)/).some((one) => sorted(one) === sorted(query));
    const named = (column) => sorted(query) && GLOSSARY.find((row) => isAsked(row[column]));
    const [term, said, , anchor] = named(0) || named(2) || [];
    const line = document.createElement("p");
    if (!term) return line;
    line.className = "meaning";
    line.innerHTML = `<a href="${root}90_notation_and_claims.html#${anchor}"></a> (glossary): `;
    line.firstElementChild.append(term);
    line.append(said);
    return line;
  }

  function show(found, results, query) {
    const list = document.createElement("ol");
    for (const { page, place, anchor, title, text, terms } of results) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${root}${place}.html${anchor && "?found#" + anchor}`; // its answers are shown: book.js
      link.textContent = title;
      const chapter = document.createElement("small");
      chapter.textContent = title === page ? "" : page;
      item.append(link, chapter, excerpt(text, terms));
      list.append(item);
    }
    const count = document.createElement("p");
    count.setAttribute("role", "status");
    const none = `Nothing found: check the spelling, or see the <a href="${root}clinic/index.html">list of symptoms</a>`;
    count.innerHTML = query && (results.length ? `${results.length} section${results.length > 1 ? "s" : ""}` : none);
    found.replaceChildren(meaning(query), count, list);
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
    const asked = new URLSearchParams(location.search).get("q");
    if (asked && found.id) {
      field.value = asked;
      search();
    }
  }
})();
