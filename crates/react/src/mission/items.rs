//! Which step comes next, and what becomes of those that wait for one that failed.

use candor_model::{TodoItem, TodoStatus};

use super::Mission;

impl Mission {
    pub(super) fn item(&self, id: &str) -> Option<&TodoItem> {
        self.list.items.iter().find(|item| item.id == id)
    }

    pub(super) fn item_mut(&mut self, id: &str) -> Option<&mut TodoItem> {
        self.list.items.iter_mut().find(|item| item.id == id)
    }

    /// The steps that are still to be done, in order.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &TodoItem> {
        self.list.items.iter().filter(|item| is_waiting(item))
    }

    /// The first step that can be done now.
    pub(super) fn next_item(&self) -> Option<&TodoItem> {
        self.waiting().find(|item| item.dependencies.iter().all(|id| self.is_behind(id)))
    }

    /// Whether nobody has to wait for a step any more: it is done, or left out by choice.
    fn is_behind(&self, id: &str) -> bool {
        self.item(id).is_some_and(|item| !is_waiting(item) && !self.is_lost(item))
    }

    /// Whether a step failed, or was left out because one that it waits for did.
    pub(super) fn is_lost(&self, item: &TodoItem) -> bool {
        match item.status {
            TodoStatus::Failed => true,
            TodoStatus::Skipped => self.lost_behind(item).is_some(),
            _ => false,
        }
    }

    /// The failed step because of which this one cannot be done, however far back.
    pub(super) fn lost_behind(&self, item: &TodoItem) -> Option<&TodoItem> {
        let mut looked_at = vec![item.id.as_str()];
        let mut next: Vec<&str> = item.dependencies.iter().map(String::as_str).collect();
        while let Some(id) = next.pop() {
            if looked_at.contains(&id) {
                continue;
            }
            looked_at.push(id);
            let Some(before) = self.item(id) else { continue };
            match before.status {
                TodoStatus::Failed => return Some(before),
                TodoStatus::Skipped => next.extend(before.dependencies.iter().map(String::as_str)),
                _ => {}
            }
        }
        None
    }
}

pub(super) fn is_waiting(item: &TodoItem) -> bool {
    matches!(item.status, TodoStatus::Pending | TodoStatus::InProgress)
}
