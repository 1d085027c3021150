/** The site without a network, once a page of it was loaded. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { expect, it } from "vitest";
import { FILTERS, ready, runStep } from "./lessons";
import { DESIGN, open, site, visitor } from "./studio";

/** A visitor whose browser has the whole site. */
async function prepared(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await visitor({ serviceWorkers: "allow" });
  const page = await open(context, "/");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  return { context, page };
}

it("every page works without a network once one was loaded", async () => {
  const { context, page } = await prepared();
  await context.setOffline(true);
  await page.goto(site(`/course/${FILTERS}/`));
  await ready(page);
  await runStep(page, 1);
  await page.reload();
  await ready(page);
  await page.goto(site("/course/"));
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.goto(site(DESIGN));
  await ready(page);
  await page.goto(site(`/course/${FILTERS}`));
  expect(new URL(page.url()).pathname, "a page is read in its folder").toBe(`/course/${FILTERS}/`);
  await page.goto(site("/?from=here"));
  await page.getByRole("heading", { level: 1 }).waitFor();
});

it("what is kept is what this build has, and one cache holds it", async () => {
  const { page } = await prepared();
  const { names, kept } = await page.evaluate(async () => {
    const names = await caches.keys();
    const cache = await caches.open(names[0] ?? "");
    return { names, kept: (await cache.keys()).map(({ url }) => new URL(url).pathname) };
  });
  expect(names).toHaveLength(1);
  for (const path of ["/", "/course/", `/course/${FILTERS}/`, "/theme.js"]) expect(kept).toContain(path);
  expect(kept.filter((path) => path.endsWith(".wasm"))).toHaveLength(2);
  expect(kept).not.toContain("/service-worker.js");
});

it("a new page is shown at once where there is a network", async () => {
  const { context, page } = await prepared();
  await page.reload();
  await context.route(site("/course/"), (route) =>
    route.fulfill({
      contentType: "text/html",
      body: "<!doctype html><link rel='icon' href='data:,'><h1>Another build</h1>",
    }),
  );
  await page.goto(site("/course/"));
  await page.getByRole("heading", { name: "Another build" }).waitFor();
});

/** A host that has the site under a path of its own. */
async function hostUnder(folder: string): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", site());
    if (!pathname.startsWith(folder)) {
      response.writeHead(404).end();
      return;
    }
    void fetch(site(pathname.slice(folder.length - 1))).then(async (answer) => {
      const type = answer.headers.get("content-type") ?? "";
      response.writeHead(answer.status, { "content-type": type });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { server, address: `http://127.0.0.1:${port}${folder}` };
}

it("is kept under a path of any host, and there is when the host is gone", async () => {
  const { server, address } = await hostUnder("/docs/keyplan/");
  try {
    const page = await (await visitor({ serviceWorkers: "allow" })).newPage();
    await page.goto(address);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await page.goto(`${address}course/${FILTERS}/`);
    await ready(page);
    await runStep(page, 1);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
