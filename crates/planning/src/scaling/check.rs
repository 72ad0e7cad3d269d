//! Whether a matrix and its classes can stand.

use candor_model::ValidationError;

use super::bounds::Bounds;
use super::class::{ClassRule, CountedPer, TaskClasses};
use super::{MAX_AGENTS, MatrixRow};

/// The highest complexity there is.
const TOP: u32 = 100;

/// Checks the rows of the matrix.
pub(super) fn matrix(rows: &[MatrixRow]) -> Result<(), ValidationError> {
    if rows.is_empty() {
        return Err(ValidationError::new("matrix", "has no rows; leave it out for the usual ones"));
    }
    let column = |name: &str, of: fn(&MatrixRow) -> Bounds| -> Vec<(String, Bounds)> {
        rows.iter().enumerate().map(|(n, row)| (format!("matrix[{n}].{name}"), of(row))).collect()
    };
    cover("complexity", &column("complexity", |row| row.complexity), Some(TOP))?;
    cover("files", &column("files", |row| row.files), None)?;
    let mut least = Bounds::new(1, 1);
    for (n, row) in rows.iter().enumerate() {
        agents(&format!("matrix[{n}].agents"), row.agents)?;
        rising(&format!("matrix[{n}].agents"), least, row.agents)?;
        mix(&format!("matrix[{n}].models"), row)?;
        least = row.agents;
    }
    Ok(())
}

/// Checks the three classes.
pub(super) fn classes(classes: &TaskClasses) -> Result<(), ValidationError> {
    let named = [("simple", classes.simple), ("standard", classes.standard), ("complex", classes.complex)];
    let ranges: Vec<_> =
        named.iter().map(|(name, rule)| (format!("classes.{name}.complexity"), rule.complexity)).collect();
    cover("complexity", &ranges, Some(TOP))?;
    for (name, rule) in &named {
        agents(&format!("classes.{name}.agents"), rule.agents)?;
        tool_calls(name, rule)?;
    }
    Ok(())
}

/// Every number from zero to the end is in exactly one range, and the ranges are in order.
fn cover(what: &str, ranges: &[(String, Bounds)], end: Option<u32>) -> Result<(), ValidationError> {
    let mut next = Some(0);
    for (field, range) in ranges {
        let Some(expected) = next else {
            let problem = format!("comes after a range without an end; only the last row's {what} has none");
            return Err(ValidationError::new(field, problem));
        };
        if range.min != expected {
            return Err(ValidationError::new(field, misfit(what, *range, expected)));
        }
        next = range.max.map(|max| max.saturating_add(1));
    }
    let last = ranges.last().map(|(field, _)| field.as_str()).unwrap_or_default();
    let wanted = match (end, next) {
        (None, Some(next)) => format!("leaves {what} {next} and up in no range; let the last one end in `+`"),
        (Some(top), Some(next)) if next <= top => {
            format!("leaves {what} {} in no range; the last one ends at {top}", Bounds::new(next, top))
        }
        (Some(top), found) if found != Some(top + 1) => {
            format!("goes beyond {top}, the highest {what} there is; end it at {top}")
        }
        _ => return Ok(()),
    };
    Err(ValidationError::new(last, wanted))
}

fn misfit(what: &str, range: Bounds, expected: u32) -> String {
    if range.min > expected {
        let hole = Bounds::new(expected, range.min - 1);
        format!("`{range}` leaves a gap: {what} {hole} is in no range; start it at {expected}")
    } else {
        format!("`{range}` overlaps the range before it; start it at {expected}")
    }
}

fn agents(field: &str, bounds: Bounds) -> Result<(), ValidationError> {
    if bounds.min >= 1 && bounds.max.is_some_and(|max| max <= MAX_AGENTS) {
        return Ok(());
    }
    let problem =
        format!("`{bounds}` is not within 1-{MAX_AGENTS}: there is always an agent, and never more");
    Err(ValidationError::new(field, problem))
}

/// More complex work never gets fewer agents; otherwise a row's least could be more than its most.
fn rising(field: &str, before: Bounds, bounds: Bounds) -> Result<(), ValidationError> {
    if bounds.min >= before.min && bounds.max >= before.max {
        return Ok(());
    }
    let problem = format!("`{bounds}` is less than the row before has (`{before}`); numbers never fall");
    Err(ValidationError::new(field, problem))
}

fn mix(field: &str, row: &MatrixRow) -> Result<(), ValidationError> {
    let shares = [row.models.fast, row.models.balanced, row.models.strong];
    let sum: u64 = shares.iter().map(|share| u64::from(*share)).sum();
    if sum == 100 {
        return Ok(());
    }
    Err(ValidationError::new(field, format!("the shares make {sum} percent; they must make 100")))
}

fn tool_calls(name: &str, rule: &ClassRule) -> Result<(), ValidationError> {
    let field = format!("classes.{name}.toolCalls.calls");
    let problem = match (rule.tool_calls.per, rule.tool_calls.calls) {
        (CountedPer::Responsibility, Some(_)) => {
            "calls per responsibility are stated by the plan; leave the figure out, or count per agent"
        }
        (CountedPer::Task | CountedPer::Agent, None) => "missing: write a range such as 3-10",
        (_, Some(Bounds { max: None, .. })) => "a budget has an end; write a range such as 3-10",
        (_, Some(Bounds { max: Some(0), .. })) => "nothing could be done with no calls; allow at least 1",
        _ => return Ok(()),
    };
    Err(ValidationError::new(field, problem))
}
