// Loaded before a program: its requests to one host go to another.
const { REDIRECT_FROM, REDIRECT_TO } = process.env;
const real = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = String(input?.url ?? input);
  return real(url.startsWith(REDIRECT_FROM) ? REDIRECT_TO + url.slice(REDIRECT_FROM.length) : input, init);
};
