// What the page tells its scripts: the annotator's outbox and the addresses of the server.

export const find = (selector) => document.querySelector(selector);

// `box` begins the names of the outbox's entries, `sync` is where they are sent to, `offline` is
// the service worker. All three are missing where the visitor is no annotator yet.
export const { box, sync, offline } = find("[data-box]")?.dataset ?? {};
