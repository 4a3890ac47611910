#!/usr/bin/env python3
"""Runs scenarios.json with the reference's native agent and writes expected.json.

    cargo build -p agentltl-agent --example scripted_server
    pip install agentltl==0.2.1
    python native_agent.py path/to/scripted_server

The reference talks HTTP to the same scripted server as the tests do. One thing is put right on the
way: the reference's native loop knows three kinds of refusal and takes the fourth, `ask`, for
permission; its own documentation wants a call refused where there is no human, so here it is.
"""
import json
import pathlib
import subprocess
import sys
import urllib.request
from types import SimpleNamespace

import agentltl
from agentltl import Constraint, ConstraintSeverity, MultiTurnAgent

HERE = pathlib.Path(__file__).parent
TOOLS = ["fetch", "save", "drop", "pay", "deploy", "login", "test", "broken"]


class Client:
    """As much of the OpenAI client as the reference uses."""

    def __init__(self, base_url):
        self.base_url = base_url
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self.create))

    def create(self, **body):
        request = urllib.request.Request(
            f"{self.base_url}/chat/completions", json.dumps(body).encode(),
            {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response, object_hook=self.object)

    @staticmethod
    def object(fields):
        fields.setdefault("tool_calls", None)
        return SimpleNamespace(**fields)

    def asked(self):
        with urllib.request.urlopen(f"{self.base_url}/asked") as response:
            return json.load(response)


class Tool:
    inputs = {}

    def __init__(self, name):
        self.name = self.description = name

    def __call__(self, **arguments):
        if self.name == "broken":
            raise ValueError("out of order")
        return f"{self.name} ok"


def formula(rule):
    """The reference's parser does not know every atom that it can print."""
    return eval(rule["python"], vars(agentltl)) if "python" in rule else agentltl.parse(rule["formula"])


def render(decision, *_):
    return f"REFUSED: {decision.action} " + ", ".join(v.constraint_name for v in decision.violations)


def run(scenario, server):
    process = subprocess.Popen([server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write(json.dumps(scenario["script"]) + "\n")
    process.stdin.flush()
    client = Client(process.stdout.readline().strip())
    settings = scenario.get("settings", {})
    agent = MultiTurnAgent(
        tools=[Tool(name) for name in TOOLS], model="scripted", model_instance=client,
        system_prompt="Be good.",
        constraints=[Constraint(rule["name"], formula(rule), repair=rule.get("repair", ""),
                                applies_to_final_answer=rule.get("final", False))
                     for rule in scenario["rules"]],
        constraint_severities={rule["name"]: ConstraintSeverity[rule["severity"]]
                               for rule in scenario["rules"]},
        enforcer_kwargs={"render": render}, **settings)
    enforcer = agent.agent._enforcer
    check = enforcer.check
    enforcer.check = lambda *call: (("persistent_block", said[1])
                                    if (said := check(*call))[0] == "ask" else said)
    turns = scenario.get("turns", ["go"])
    result = agent.run(turns)
    asked = client.asked()
    process.stdin.close()
    process.wait()
    metrics = result["metrics"]
    return {
        "answers": result["answers"],
        "errors": [{key: turn["error"][key] for key in ("violation_type", "constraint_name", "tool_name")}
                   if turn["error"] else None for turn in result["per_turn"]],
        "tool_calls": [{key: call[key] for key in
                        ("step", "turn", "tool_name", "arguments", "id", "tool_result")}
                       for call in metrics["tool_calls"]],
        "steps": metrics["steps"],
        "run_status": metrics["run_status"],
        "stopped_by_constraint": metrics["stopped_by_constraint"],
        "violations": [{key: violation.get(key) for key in
                        ("constraint_name", "severity", "step_number", "tool_name")}
                       for violation in metrics["constraint_violations"]],
        "traced": [call["tool_name"] for call in metrics["completed_trace"]],
        "num_steps": metrics["num_steps"],
        "num_tool_calls": metrics["num_tool_calls"],
        "tokens": [metrics["input_tokens"], metrics["output_tokens"], metrics["total_tokens"]],
        "constraint_checks": metrics["constraint_checks"],
        "blocked_steps": metrics["blocked_steps"],
        "blocked_steps_exhausted": metrics["blocked_steps_exhausted"],
        "requests": len(asked),
        "told": [neutral(message, turns) for message in asked[-1]["messages"]],
    }


def neutral(message, turns):
    """A message without the wording that each library has of its own."""
    if message["role"] == "user" and message["content"] not in turns:
        message["content"] = "SENT BACK"
    return message


def main():
    scenarios = json.loads((HERE / "scenarios.json").read_text())
    expected = {scenario["name"]: run(scenario, sys.argv[1]) for scenario in scenarios}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
