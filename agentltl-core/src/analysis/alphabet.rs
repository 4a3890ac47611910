//! The calls that formulas can tell apart.

use std::collections::HashMap;

use super::NotAnalysed;
use super::sample::{SampleCall, arguments_match, result_matches};
use super::table::LetterId;
use super::tables::{TableId, Tables};
use crate::monitor::Input;
use crate::text::{Name, Seq, Text};
use crate::value::{Args, Value};

/// So many calls are told apart at most.
const MAX_CALLS: usize = 4096;
/// So many object results of a tool are combined at most.
const MAX_OBJECTS: usize = 4;

/// A kind of call as it is proposed, its result not known.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) call: SampleCall,
    /// The tools that are called like this, by their place in the list of tools.
    pub(super) tools: Vec<usize>,
    pub(super) letters: Letters,
    /// The ways it can turn out: a range of the moves.
    pub(super) moves: std::ops::Range<u32>,
}

/// A call that has been made, with its result.
#[derive(Debug)]
pub(super) struct Move {
    pub(super) proposal: u32,
    pub(super) result: Option<Value>,
    pub(super) letters: Letters,
}

/// The letters of a call for the tables that can tell it from a call of a tool nobody names, in the
/// order of the tables.
pub(super) type Letters = Box<[(TableId, LetterId)]>;

#[derive(Debug, Default)]
pub(super) struct Alphabet {
    pub(super) proposals: Vec<Proposal>,
    pub(super) moves: Vec<Move>,
    /// The tools there are, and for one not named at the end where others may be called.
    pub(super) tools: Vec<Name>,
    /// For each table the letter of a call of a tool that nobody names.
    pub(super) idle: Vec<LetterId>,
    /// For each table the calls it can tell from that.
    pub(super) touching: Vec<Vec<u32>>,
}

/// What the tables ask about the calls of one tool.
#[derive(Default)]
struct Questions<'t> {
    keys: Vec<(&'t Text, Vec<&'t Value>)>,
    results: Vec<&'t Value>,
}

impl<'t> Questions<'t> {
    fn arguments(&mut self, args: &'t Args) {
        for (key, value) in args.iter() {
            let values = match self.keys.iter_mut().find(|(other, _)| *other == key) {
                Some((_, values)) => values,
                None => {
                    self.keys.push((key, Vec::new()));
                    match self.keys.last_mut() {
                        Some((_, values)) => values,
                        None => continue,
                    }
                }
            };
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }

    fn of(tool: &Name, tables: &'t Tables, mentioning: &[TableId]) -> Self {
        let mut questions = Questions::default();
        for input in mentioning.iter().flat_map(|table| tables.inputs(*table)) {
            match input {
                Input::Call(tools, args) if tools.contains(tool) => questions.arguments(args),
                Input::Result(other, result, args) if other == tool => {
                    questions.arguments(args);
                    if !questions.results.contains(&result) {
                        questions.results.push(result);
                    }
                }
                _ => {}
            }
        }
        questions
    }

    /// The results that can be told apart: not known, another one, each that is asked for, and
    /// objects that are several of them at once.
    fn outcomes(&self) -> Result<Vec<Option<Value>>, NotAnalysed> {
        if self.results.is_empty() {
            return Ok(vec![None]);
        }
        let mut other = String::from("something else");
        while self
            .results
            .iter()
            .any(|result| result_matches(result, &Value::from(other.as_str())))
        {
            other.push('!');
        }
        let mut outcomes = vec![None, Some(Value::from(other))];
        let mut objects: Vec<Vec<(Text, Value)>> = Vec::new();
        let mut written = 0;
        for result in &self.results {
            let Value::Object(fields) = result else {
                outcomes.push(Some((*result).clone()));
                continue;
            };
            written += 1;
            if written > MAX_OBJECTS {
                return Err(NotAnalysed::new("a tool has many object results"));
            }
            let combined: Vec<_> = objects
                .iter()
                .filter_map(|object| merge(object, fields))
                .collect();
            objects.push(fields.to_vec());
            objects.extend(combined);
        }
        outcomes.extend(
            objects
                .into_iter()
                .map(|fields| Some(Value::Object(fields.into()))),
        );
        Ok(outcomes)
    }
}

/// An object with the fields of both, if they agree.
fn merge(a: &[(Text, Value)], b: &[(Text, Value)]) -> Option<Vec<(Text, Value)>> {
    let mut fields = a.to_vec();
    for (key, value) in b {
        match a.iter().find(|(other, _)| other == key) {
            Some((_, other)) if other != value => return None,
            Some(_) => {}
            None => fields.push((key.clone(), value.clone())),
        }
    }
    Some(fields)
}

impl Alphabet {
    /// The calls of these tools, and of any other where the list is not `closed`.
    pub(super) fn new(
        tables: &mut Tables,
        mut tools: Vec<Name>,
        closed: bool,
    ) -> Result<Self, NotAnalysed> {
        if !closed {
            let mut name = String::from("another_tool");
            while tools.iter().any(|tool| tool.as_str() == name) {
                name.push('_');
            }
            tools.push(name.into());
        }
        let mut alphabet = Alphabet::default();
        for table in 0..tables.len() {
            let answers = tables.inputs(table).iter().map(idle_answer).collect();
            alphabet.idle.push(tables.machine(table).letter(answers));
        }
        alphabet.touching.resize(tables.len(), Vec::new());
        let mentions = mentions(&tools, tables);
        let mut known = HashMap::new();
        for (number, tool) in tools.iter().enumerate() {
            let mentioning = &mentions[number];
            for (arguments, outcomes) in calls(tool, tables, mentioning)? {
                let call = SampleCall {
                    tool: tool.clone(),
                    arguments,
                    result: None,
                };
                alphabet.add(number, call, &outcomes, tables, mentioning, &mut known);
                if alphabet.moves.len() > MAX_CALLS {
                    return Err(NotAnalysed::new("there are too many kinds of calls"));
                }
            }
        }
        alphabet.tools = tools;
        Ok(alphabet)
    }

    fn add(
        &mut self,
        number: usize,
        call: SampleCall,
        outcomes: &[Option<Value>],
        tables: &mut Tables,
        mentioning: &[TableId],
        known: &mut HashMap<Vec<Letters>, usize>,
    ) {
        let mut letters = Vec::new();
        let mut results = Vec::new();
        for outcome in outcomes {
            let mut read = Vec::new();
            for table in mentioning {
                let letter = read_one(tables, *table, &call, outcome.as_ref());
                if letter != self.idle[*table] {
                    read.push((*table, letter));
                }
            }
            let read: Letters = read.into();
            if !letters.contains(&read) {
                letters.push(read);
                results.push(outcome.clone());
            }
        }
        let same = *known.entry(letters.clone()).or_insert(self.proposals.len());
        if let Some(proposal) = self.proposals.get_mut(same) {
            if proposal.tools.last() != Some(&number) {
                proposal.tools.push(number);
            }
            return;
        }
        for (table, _) in letters.iter().flatten() {
            let touching = &mut self.touching[*table];
            if touching.last() != Some(&(same as u32)) {
                touching.push(same as u32);
            }
        }
        let first = self.moves.len() as u32;
        // The first outcome is the one that is not known.
        let proposed = letters[0].clone();
        for (letters, result) in letters.into_iter().zip(results) {
            self.moves.push(Move {
                proposal: same as u32,
                result,
                letters,
            });
        }
        self.proposals.push(Proposal {
            call,
            tools: vec![number],
            letters: proposed,
            moves: first..self.moves.len() as u32,
        });
    }

    /// The letter for a table among those of a call.
    pub(super) fn letter(&self, letters: &Letters, table: TableId) -> LetterId {
        match letters.binary_search_by_key(&table, |(table, _)| *table) {
            Ok(place) => letters[place].1,
            Err(_) => self.idle[table],
        }
    }

    /// The letter of a move for a table.
    pub(super) fn letter_of(&self, step: u32, table: TableId) -> LetterId {
        self.letter(&self.moves[step as usize].letters, table)
    }

    /// The call of a move.
    pub(super) fn call(&self, step: u32) -> SampleCall {
        let Move {
            proposal, result, ..
        } = &self.moves[step as usize];
        SampleCall {
            result: result.clone(),
            ..self.proposals[*proposal as usize].call.clone()
        }
    }
}

/// For each tool the tables that ask for it.
fn mentions(tools: &[Name], tables: &Tables) -> Vec<Vec<TableId>> {
    let numbers: HashMap<&str, usize> = tools
        .iter()
        .enumerate()
        .map(|(number, tool)| (tool.as_str(), number))
        .collect();
    let mut mentions: Vec<Vec<TableId>> = vec![Vec::new(); tools.len()];
    for table in 0..tables.len() {
        let mut add = |tool: &Name| {
            if let Some(number) = numbers.get(tool.as_str())
                && mentions[*number].last() != Some(&table)
            {
                mentions[*number].push(table);
            }
        };
        for input in tables.inputs(table) {
            match input {
                Input::Tool(tool) | Input::Result(tool, ..) => add(tool),
                Input::Call(tools, _) => tools.iter().for_each(&mut add),
                _ => {}
            }
        }
    }
    mentions
}

/// The calls of a tool: arguments, and the results they can have.
type Calls = Vec<(Args, Vec<Option<Value>>)>;

fn calls(tool: &Name, tables: &Tables, mentioning: &[TableId]) -> Result<Calls, NotAnalysed> {
    let questions = Questions::of(tool, tables, mentioning);
    let outcomes = questions.outcomes()?;
    // To leave an argument out is as good as any other value.
    let mut all: Vec<Vec<(Text, Value)>> = vec![Vec::new()];
    for (key, values) in &questions.keys {
        for value in values {
            let without = all
                .iter()
                .filter(|arguments| arguments.iter().all(|(other, _)| other != *key));
            let with: Vec<_> = without
                .map(|arguments| {
                    let mut arguments = arguments.clone();
                    arguments.push(((*key).clone(), (*value).clone()));
                    arguments
                })
                .collect();
            all.extend(with);
            if all.len() * outcomes.len() > MAX_CALLS {
                return Err(NotAnalysed::new("there are too many kinds of calls"));
            }
        }
    }
    Ok(all
        .into_iter()
        .map(|arguments| (Args::new(arguments), outcomes.clone()))
        .collect())
}

fn read_one(
    tables: &mut Tables,
    table: TableId,
    call: &SampleCall,
    result: Option<&Value>,
) -> LetterId {
    let answers = answers(tables.inputs(table), call, result);
    tables.machine(table).letter(answers)
}

/// What the call answers to these questions, with that result.
pub(super) fn answers(inputs: &[Input], call: &SampleCall, result: Option<&Value>) -> Vec<u8> {
    let given: Vec<_> = call.arguments.iter().collect();
    let inputs = inputs.iter();
    inputs
        .map(|input| answer(input, &call.tool, &given, result))
        .collect()
}

/// What the call answers. Calls come one at a time, and a table knows the position itself and what
/// is free.
fn answer(input: &Input, tool: &Name, given: &[(&Text, &Value)], result: Option<&Value>) -> u8 {
    let one_of = |tools: &Seq<Name>| tools.contains(tool);
    match input {
        Input::Tool(name) => u8::from(name == tool),
        Input::Call(tools, args) => u8::from(one_of(tools) && arguments_match(args, given)),
        Input::Result(name, ..) if name != tool => 0,
        Input::Result(_, _, args) if !arguments_match(args, given) => 0,
        Input::Result(_, expected, _) => match result {
            None => 1,
            Some(result) if result_matches(expected, result) => 3,
            Some(_) => 2,
        },
        other => idle_answer(other),
    }
}

/// What a call of a tool that is not named answers.
fn idle_answer(input: &Input) -> u8 {
    u8::from(matches!(input, Input::Later(_)))
}
