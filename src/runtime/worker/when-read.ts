/**
 * The same response; `over` is called when its body has been taken or given up. Only streams of events can last: all else is
 * whole already.
 */
export function whenRead(response: Response, over: () => void): Response {
  const { body, status, headers } = response;
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) {
    over();
    return response;
  }
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          over();
        } catch (thrown) {
          controller.error(thrown);
          over();
        }
      },
      cancel: async (reason) => {
        over();
        await reader.cancel(reason);
      },
    },
    // What is not asked for stays where it is counted: the door watches over slow readers.
    { highWaterMark: 0 },
  );
  return new Response(watched, { status, headers });
}
