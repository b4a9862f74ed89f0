// Adds the headers that allow the page to use threads, for servers that do not send them. Stores nothing and contacts no other server.
"use strict";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
    if (new URL(event.request.url).origin !== location.origin) return;
    event.respondWith((async () => {
        const answer = await fetch(event.request);
        if (answer.status === 0) return answer;
        const headers = new Headers(answer.headers);
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Cross-Origin-Embedder-Policy", "require-corp");
        return new Response(answer.body, {status: answer.status, statusText: answer.statusText, headers});
    })());
});
