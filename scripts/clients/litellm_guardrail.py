#!/usr/bin/env python3
"""Sends prompts through LiteLLM's proxy and its Presidio guardrail to a model that records what it gets.

    pip install "litellm[proxy]" aiohttp
    scripts/clients/litellm_guardrail.py http://127.0.0.1:5002
    scripts/clients/litellm_guardrail.py http://127.0.0.1:5002 refused

The second form is for a server that answers with errors, because it is overloaded or asks for a token: it sends 20 prompts through the
default setting of the guardrail, and fails if one of them reaches the model as it was.

The first argument is the address of "lethe serve", or of any server that speaks as Presidio does. Between LiteLLM and that
server is a gate that can answer in its place: with an error, with half of an answer, or not at all. For each setting of the guardrail and
each kind of failure, the program prints whether the model got the prompt masked, got it as it was (LEAK), or got nothing
because LiteLLM refused (refused). It uses no network beyond this machine, and fails only if a prompt is not masked although
the server answers.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile

import aiohttp
from aiohttp import web

SERVER = sys.argv[1].rstrip("/")
GATE, MODEL, PROXY = 18201, 18202, 18203
NAME, DATE = "Harriet Quimby", "03/14/2087"
PROMPT = f"Summarise: Mrs. {NAME} was seen on {DATE}. \U0001F600"

SETTINGS = {
    "default": {},
    "output_parse_pii": {"output_parse_pii": True, "presidio_filter_scope": "input"},
    "pii_entities_config MASK": {"pii_entities_config": {"PERSON": "MASK", "DATE_TIME": "MASK"}},
    "pii_entities_config BLOCK": {"pii_entities_config": {"PERSON": "BLOCK"}},
}


class Gate:
    """Answers in the place of the server."""

    def __init__(self):
        self.fault = None

    async def __call__(self, request):
        body = await request.read()
        if self.fault and request.path == self.fault.get("path", "/analyze"):
            answer = await self.fail(request, self.fault)
            if answer is not None:
                return answer
        async with aiohttp.ClientSession() as session:
            async with session.post(SERVER + request.path, data=body, headers={"Content-Type": "application/json"}) as there:
                headers = {"Content-Type": there.headers.get("Content-Type", "")}
                return web.Response(status=there.status, body=await there.read(), headers=headers)

    async def fail(self, request, fault):
        if fault.get("hang"):
            await asyncio.sleep(fault["hang"])
            return web.Response(status=503)
        if fault.get("abort"):
            request.transport.abort()
            return web.Response()
        headers = {"Content-Type": fault.get("type", "application/json")}
        if not fault.get("half"):
            return web.Response(status=fault["status"], body=fault["body"], headers=headers)
        response = web.StreamResponse(status=fault["status"], headers={**headers, "Content-Length": str(len(fault["body"]) + 1)})
        await response.prepare(request)
        await response.write(fault["body"])
        request.transport.abort() if fault["half"] == "reset" else request.transport.close()
        return response


ERROR = b'{"error":{"code":"busy","message":"Too many requests are waiting."}}'
BEYOND = '{"error":{"code":"busy","message":"Too many requests are waiting\u2026"}}'.encode()
FAULTS = {
    "none": None,
    "503 with a JSON error": {"status": 503, "body": ERROR},
    "503 without a body": {"status": 503, "body": b""},
    "503, one byte of the body missing": {"status": 503, "body": ERROR, "half": "close"},
    "503, one byte missing, reset": {"status": 503, "body": ERROR, "half": "reset"},
    "503, charset=us-ascii, one letter beyond": {"status": 503, "body": BEYOND, "type": "application/json; charset=us-ascii"},
    "500 {\"error\": ...}": {"status": 500, "body": b'{"error":"No text provided"}'},
    "429": {"status": 429, "body": ERROR},
    "401": {"status": 401, "body": ERROR},
    "413": {"status": 413, "body": ERROR},
    "200 {\"error\": ...}": {"status": 200, "body": b'{"error":"busy"}'},
    "200 with half of a list": {"status": 200, "body": b'[{"start":1,', "half": "close"},
    "200 that is not JSON": {"status": 200, "body": b"busy"},
    "200 text/html": {"status": 200, "body": b"<html>", "type": "text/html"},
    "200 []": {"status": 200, "body": b"[]"},
    "connection reset": {"abort": True},
    "no answer in time": {"hang": 12},
    "anonymize: 503": {"path": "/anonymize", "status": 503, "body": ERROR},
    "anonymize: reset": {"path": "/anonymize", "abort": True},
}


class Model:
    """An LLM that repeats the prompt, and remembers it."""

    def __init__(self):
        self.prompts = []

    async def __call__(self, request):
        if not request.path.endswith("/chat/completions"):
            return web.json_response({"object": "list", "data": []})
        prompt = (await request.json())["messages"][-1]["content"]
        self.prompts.append(prompt)
        message = {"role": "assistant", "content": prompt}
        return web.json_response({"id": "x", "object": "chat.completion", "created": 0, "model": "fake",
                                  "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                                  "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})


async def listen(handler, port):
    app = web.Application(client_max_size=1 << 26)
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    return runner


def config(setting):
    base = f"http://127.0.0.1:{GATE}"
    guardrails = [{"guardrail_name": "presidio", "litellm_params": {
        "guardrail": "presidio", "mode": "pre_call", "default_on": True, "timeout": 5,
        "presidio_analyzer_api_base": base, "presidio_anonymizer_api_base": base, **SETTINGS[setting]}}]
    return {"model_list": [{"model_name": "fake", "litellm_params": {
        "model": "openai/fake", "api_base": f"http://127.0.0.1:{MODEL}", "api_key": "none", "max_retries": 0}}],
        "guardrails": guardrails, "litellm_settings": {"num_retries": 0, "telemetry": False}}


async def start(folder, setting):
    path = os.path.join(folder, "config.json")  # JSON is YAML
    with open(path, "w") as f:
        json.dump(config(setting), f)
    env = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*", "LITELLM_LOG": "ERROR",
           "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true"}
    litellm = os.path.join(os.path.dirname(sys.executable), "litellm")
    log = open(os.path.join(folder, "litellm.log"), "w")
    proxy = subprocess.Popen([litellm, "--config", path, "--host", "127.0.0.1", "--port", str(PROXY)],
                             env=env, stdout=log, stderr=log, start_new_session=True)
    async with aiohttp.ClientSession() as session:
        for _ in range(180):
            try:
                async with session.get(f"http://127.0.0.1:{PROXY}/health/liveliness") as r:
                    if r.status == 200:
                        return proxy
            except aiohttp.ClientError:
                pass
            if proxy.poll() is not None:
                break
            await asyncio.sleep(1)
    with open(log.name) as f:
        raise SystemExit("LiteLLM does not start: " + f.read()[-2000:])


async def ask(session, model):
    """Returns what the model got, and what the caller got."""
    model.prompts.clear()
    body = {"model": "fake", "messages": [{"role": "user", "content": PROMPT}]}
    async with session.post(f"http://127.0.0.1:{PROXY}/v1/chat/completions", json=body) as r:
        answer = await r.json(content_type=None)
    got = model.prompts[-1] if model.prompts else None
    return got, answer["choices"][0]["message"]["content"] if r.status == 200 else f"{r.status}"


def verdict(got):
    if got is None:
        return "refused"
    return "LEAK" if NAME in got or DATE in got else "masked"


async def try_all(setting, gate, model):
    """Returns the verdicts on one setting of the guardrail, by the names of the faults, and what is wrong."""
    verdicts, wrong = {}, []
    runner = await listen(gate, GATE)
    with tempfile.TemporaryDirectory() as folder:
        proxy = await start(folder, setting)
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=120)) as session:
                gate.fault = None
                got, answer = await ask(session, model)
                print(f"{setting}: the model got {got!r}; the caller got {answer!r}", flush=True)
                if verdict(got) != ("refused" if "BLOCK" in setting else "masked"):
                    wrong.append(setting)
                if setting == "output_parse_pii" and answer != PROMPT:
                    wrong.append("unmasking")
                for name, fault in FAULTS.items():
                    gate.fault = fault
                    verdicts[name] = verdict((await ask(session, model))[0])
                await runner.cleanup()
                verdicts["server killed"] = verdict((await ask(session, model))[0])
        finally:
            os.killpg(proxy.pid, signal.SIGTERM)
            proxy.wait()
            await runner.cleanup()
    return verdicts, wrong


async def refused():
    """Sends prompts to a server that answers with errors."""
    gate, model = Gate(), Model()
    runners = [await listen(model, MODEL), await listen(gate, GATE)]
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        proxy = await start(folder, "default")
        try:
            async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=120)) as session:
                for _ in range(20):
                    got, _ = await ask(session, model)
                    counts[verdict(got)] = counts.get(verdict(got), 0) + 1
        finally:
            os.killpg(proxy.pid, signal.SIGTERM)
            proxy.wait()
            for r in runners:
                await r.cleanup()
    print(counts)
    if "LEAK" in counts:
        raise SystemExit("a prompt reached the model as it was")


async def main():
    if sys.argv[2:] == ["refused"]:
        return await refused()
    gate, model = Gate(), Model()
    runner = await listen(model, MODEL)
    columns, wrong = {}, []
    for setting in SETTINGS:
        columns[setting], bad = await try_all(setting, gate, model)
        wrong += bad
    await runner.cleanup()
    print(f"\n| the server's answer | {' | '.join(SETTINGS)} |\n|---|{'---|' * len(SETTINGS)}")
    for name in columns["default"]:
        print(f"| {name} | {' | '.join(c[name] for c in columns.values())} |")
    if wrong:
        raise SystemExit("not as it should be: " + ", ".join(wrong))


asyncio.run(main())
