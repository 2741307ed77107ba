// Where the training runs: in a worker beside the page, made from the text of `work`, or, where the
// page may have none, in slices on the page itself. Both run the same code and give the same numbers.

const BESIDE = 25; // milliseconds of a slice in a worker, which only has to hear messages
const ON_PAGE = 8; // and on the page, which has to draw thirty times a second

const soon = act => setTimeout(act);

// The worker's whole text: the engine, and how it hears and tells.
const textOf = work => `
const receive = (${work})().serve(news => postMessage(news), act => setTimeout(act), ${BESIDE});
onmessage = ({data}) => receive(data);
postMessage("ready");`;

// What takes messages for the engine; `arrived` hears what it tells. The worker starts with the
// first steps: a figure that is only looked at has none.
export function driver(work, arrived) {
  let begun = {}; // the last beginning, and what is looked at: what a worker must know
  let send = work().serve(arrived, soon, ON_PAGE);
  let worker = null;

  function start() {
    const onPage = send;
    const waiting = [];
    send = message => waiting.push(message);
    const take = receive => {
      send = receive;
      for (const message of waiting) send(message);
    };
    worker = beside(textOf(work), {
      ready: () => {
        waiting.unshift(begun);
        take(message => worker.postMessage(message));
      },
      refused: () => take(onPage),
      arrived,
    });
  }

  return message => {
    if (message.steps > 0 && worker === null) start();
    if (message.begin || message.look) begun = {...begun, ...message, steps: 0, going: null};
    send(message);
  };
}

// A classic worker: a frame without allow-same-origin refuses one that is a module. Where the page
// refuses both, this is told at once or by an error.
function beside(text, {ready, refused, arrived}) {
  try {
    const address = URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
    const worker = new Worker(address);
    worker.onmessage = ({data}) => (data === "ready" ? ready() : arrived(data));
    worker.onerror = event => {
      event.preventDefault();
      refused();
    };
    return worker;
  } catch {
    refused();
    return {};
  }
}
