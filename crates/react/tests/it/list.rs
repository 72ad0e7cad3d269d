//! The list of steps and the three ways to change it.
use candor_model::{TodoItem, TodoList, TodoStatus, ToolResult};
use candor_react::list::{append_step, apply_change, decompose_step, modify_step, replace_step};
use serde_json::{Value, json};

fn list() -> TodoList {
    serde_json::from_value(json!({ "list_id": "l", "items": [
        { "id": "a", "position": 1, "description": "A", "tool": "t", "parameters": { "x": 1 } },
        { "id": "b", "position": 2, "description": "B", "tool": "t", "dependencies": ["a"], "save_as": "out",
          "status": "IN_PROGRESS", "attempts": 3 },
        { "id": "c", "position": 3, "description": "C", "dependencies": ["a", "b"],
          "parameters": { "deep": [{ "text": "see ${steps.b.name} and ${steps.bb.name}" }] } },
    ]}))
    .unwrap()
}

#[allow(clippy::needless_pass_by_value, reason = "it is given literals")]
fn map(value: Value) -> candor_model::JsonMap {
    value.as_object().unwrap().clone()
}

#[test]
fn a_stored_list_without_counts_can_be_read() {
    // spec: planning TA-03 TA-38
    let item: TodoItem = serde_json::from_value(json!({ "position": 1, "status": "PENDING" })).unwrap();
    assert_eq!((item.replan_count, item.attempts, item.max_attempts), (0, 0, 3));
    let again: TodoItem = serde_json::from_value(serde_json::to_value(&item).unwrap()).unwrap();
    assert_eq!(again, item);
}

#[test]
fn a_modified_step_is_fresh_and_counted() {
    // spec: planning TA-15 TA-40, CX-42
    let mut list = list();
    let change = modify_step(&list, 2, &map(json!({ "parameters": { "y": 2 } })), 2).unwrap();
    apply_change(&mut list, &change);
    let item = &list.items[1];
    assert_eq!(
        (item.id.as_str(), item.position, item.status, item.attempts),
        ("b", 2, TodoStatus::Pending, 0)
    );
    assert_eq!((item.replan_count, &item.parameters), (1, &map(json!({ "y": 2 }))));
    assert_eq!(list.items[2].dependencies, ["a", "b"]);
}

#[test]
fn what_waits_for_a_replaced_step_waits_for_the_new_one() {
    // spec: planning TA-17 TA-40
    let mut list = list();
    let change = replace_step(&list, 2, &map(json!({ "tool": "u" })), 2).unwrap();
    apply_change(&mut list, &change);
    assert_eq!((list.items[1].id.as_str(), list.items[1].tool.as_deref()), ("b_r1", Some("u")));
    assert_eq!(list.items[2].dependencies, ["a", "b_r1"]);
    let text = list.items[2].parameters["deep"][0]["text"].as_str().unwrap();
    assert_eq!(text, "see ${steps.b_r1.name} and ${steps.bb.name}");
}

#[test]
fn a_decomposed_step_gives_way_to_a_chain() {
    // spec: planning TA-16 TA-40
    let mut list = list();
    let subtasks = [json!({ "description": "first", "tool": "t" }), json!("second")];
    let change = decompose_step(&list, 2, &subtasks, 2).unwrap();
    apply_change(&mut list, &change);
    let ids: Vec<&str> = list.items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["a", "b_a", "b_b", "c"]);
    assert_eq!(list.items[1].dependencies, ["a"], "the first part waits for what the step waited for");
    assert_eq!(list.items[2].dependencies, ["b_a"]);
    assert_eq!(list.items[3].dependencies, ["a", "b_b"]);
    assert_eq!(list.items[2].save_as.as_deref(), Some("out"));
    assert_eq!(list.items[1].save_as, None);
    assert!(list.items.iter().skip(1).take(2).all(|item| item.replan_count == 1));
    assert_eq!(list.items.iter().map(|item| item.position).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn a_change_that_is_refused_leaves_the_list_as_it_was() {
    // spec: planning TA-09 TA-20
    let mut list = list();
    list.items[0].status = TodoStatus::Completed;
    list.items[0].result = Some(ToolResult::done("x", None));
    list.items[2].replan_count = 2;
    let before = serde_json::to_string(&list).unwrap();
    let parameters = map(json!({ "parameters": {} }));
    let refused = [
        modify_step(&list, 1, &parameters, 2).unwrap_err(),
        modify_step(&list, 3, &parameters, 2).unwrap_err(),
        modify_step(&list, 9, &parameters, 2).unwrap_err(),
        modify_step(&list, 2, &map(json!({ "parameters": 7 })), 2).unwrap_err(),
        replace_step(&list, 2, &map(json!({})), 2).unwrap_err(),
        replace_step(&list, 3, &map(json!({ "tool": "u" })), 2).unwrap_err(),
        decompose_step(&list, 2, &[json!({ "description": "ok" }), json!({ "description": " " })], 2)
            .unwrap_err(),
        decompose_step(&list, 3, &[json!("x")], 2).unwrap_err(),
        decompose_step(&list, 2, &vec![json!("x"); 11], 2).unwrap_err(),
    ];
    assert!(refused[1].contains("limit"), "{}", refused[1]);
    assert_eq!(serde_json::to_string(&list).unwrap(), before);
}

#[test]
fn an_id_is_never_used_twice() {
    // spec: planning TA-40
    let mut list = TodoList::default();
    for _ in 0..3 {
        let change = append_step(&list, TodoItem::new("", 0, "x"));
        apply_change(&mut list, &change);
    }
    list.items[0].id = "step_4_r1".to_owned();
    let change = append_step(&list, TodoItem::new("", 0, "x"));
    assert_eq!(change.items[0].id, "step_4_2", "step_4 was there once");
}
