//! English and Spanish: what people read is in their language, what programs read is not.

use std::process::Output;

use crate::support::{ATTENDED, Candor, PARIS, Said};

/// Three agents that are told in Spanish, so that no English word comes from them.
const HUERTO: &str = "[[agents]]\nagent_type = \"recolector\"\nspecialization = \"Recoge cifras\"\nbuiltin = \"noop\"\n\
    [[agents]]\nagent_type = \"escritor\"\nspecialization = \"Escribe informes\"\nbuiltin = \"noop\"\n\
    [[agents]]\nagent_type = \"cartero\"\nspecialization = \"Manda correos a clientes\"\nbuiltin = \"noop\"\n\
    effects = [\"message\"]\n";
/// Words that every English sentence has one of, and no Spanish one.
const ENGLISH: [&str; 16] = [
    "the", "of", "with", "and", "is", "are", "was", "were", "by", "from", "that", "this", "task", "tasks",
    "failed", "which",
];

/// The English words in what a person reads. What is typed stays as it is: criteria, commands, digests.
fn english(said: &str) -> Vec<String> {
    let typed =
        regex::Regex::new(r"judge: |outputs not empty|`[^`]*`|remove TASK;.*|classDef .*|candor [a-z].*")
            .unwrap();
    let lines = said.lines().map(|line| typed.replace_all(line, "").into_owned());
    let is_english = |line: &String| {
        let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.any(|word| ENGLISH.contains(&word.to_lowercase().as_str()))
    };
    lines.filter(is_english).collect()
}

#[test]
fn reasons_risks_and_decisions_of_a_plan_are_told_in_spanish() {
    // spec: findings UX-10
    let candor = Candor::with_config(&format!("[limits]\napproval = \"always\"\n{HUERTO}"));
    let goal = "Recoge las cifras del huerto, escribe un informe sobre ellas y envía el informe a los clientes por correo";
    let all = |said: Said| {
        let (told, shown) = (english(&said.stdout), english(&said.stderr));
        assert!(
            told.is_empty() && shown.is_empty(),
            "English in:\n{}\n{}",
            told.join("\n"),
            shown.join("\n")
        );
        said
    };
    let plan = all(spanish(&candor, &["plan", goal]));
    plan.shows(&[
        "estrategia: secuencial",
        "3 tareas, una tras otra",
        "riesgo: ",
        "escribe a personas (message)",
    ]);
    let run = ["run", goal, "--run-id", "run_1", "--allow", "message"];
    all(spanish(&candor, &run).ended_with(3)).tells(&[
        "Por qué se pregunta:",
        "Supuesto: 2 de 3 pasos",
        "medio: ",
    ]);
    for view in ["status", "explain"] {
        all(spanish(&candor, &[view, "run_1"]));
    }
    all(spanish(&candor, &["explain", "run_1"])).shows(&["dimensionar agentes", "las reglas proponen"]);
    all(spanish(&candor, &["ask", "run_1", "¿cuánto cuesta?"]).ended_with(3));
    all(spanish(&candor, &["ask", "run_1", "¿qué puede salir mal?"]).ended_with(3))
        .tells(&["Riesgo (", "Qué se hace"]);
    all(spanish(&candor, &["modify", "run_1", "quita la luna"]).ended_with(3)).tells(&["no se entendió"]);
    all(spanish(&candor, &["approve", "run_1"]).ended_with(0));
    for view in ["status", "explain", "report", "postmortem"] {
        all(spanish(&candor, &[view, "run_1"]));
    }
    all(spanish(&candor, &["run", goal, "--run-id", "run_2", "--unattended"]).ended_with(1))
        .shows(&["escribe a personas"]);
    all(spanish(&candor, &["watch", "run_1"]));
}

#[test]
fn a_choice_is_offered_in_spanish() {
    // spec: findings UX-10
    let candor = Candor::with_config(&format!(
        "[limits]\nunattended = false\n[guardrails]\nrules = \"rules.json\"\n{HUERTO}"
    ));
    let rule = r#"{"rules": [{"skillId": "sin-secretos", "enforcement": "block", "priority": "critical", "tripwire": true,
        "message": "Las recetas se quedan aquí", "promptTriggers": {"keywords": ["receta"], "intent": ["any"]}}]}"#;
    candor.write("rules.json", rule);
    let asked = spanish(&candor, &["run", "Anota la receta de la abuela", "--run-id", "run_1"]).ended_with(3);
    assert_eq!(english(&asked.stderr), Vec::<String>::new());
    asked.tells(&["Una regla de protección detiene esta ejecución", "# seguir a pesar de lo hallado"]);
}

fn spanish(candor: &Candor, args: &[&str]) -> Said {
    Said::of(output(candor, args, &[("LC_ALL", "es_ES.UTF-8")]))
}

fn output(candor: &Candor, args: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = candor.command(["--data", "data"]);
    command.args(args).envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn a_run_is_told_in_the_language_of_the_locale() {
    // spec: findings UX-10
    let candor = Candor::new();
    let run = ["run", PARIS, "--run-id", "run_1", "--fault", "flight_agent=error"];
    let said = spanish(&candor, &run).ended_with(0).shows(&[
        "Ejecución run_1",
        "Plan con 4 tareas",
        "falló: injected error — Reintento con backup flight agent",
        "Hotel search: hecha en",
        "Objetivo alcanzado: se cumplen",
        "1 intento fallido",
        "datos de ejemplo",
    ]);
    let lines: Vec<&str> = said.stdout.lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(lines.len() <= 15, "{}", said.stdout);
    for english in ["done", "failed", "Goal", "tasks", "confidence "] {
        assert!(!said.stdout.contains(english), "`{english}` in: {}", said.stdout);
    }
}

#[test]
fn every_view_of_a_run_is_there_in_spanish() {
    // spec: findings UX-10
    let candor = Candor::new();
    spanish(&candor, &["run", PARIS, "--run-id", "run_1", "--fault", "flight_agent=error"]).ended_with(0);
    let view = |args: &[&str], parts: &[&str]| {
        spanish(&candor, args).ended_with(0).shows(parts);
    };
    view(
        &["status", "run_1"],
        &["Objetivo ", "Veredicto ", "Fases", "Criterios", "después de", "Puntos de retorno"],
    );
    view(&["list"], &["Estado", "completada, verificada", "Petición"]);
    view(
        &["report", "run_1"],
        &["**Estado** completada", "## Lo que falta o no se cumple", "| Qué | Pedido |", "sí"],
    );
    view(
        &["explain", "run_1"],
        &["Por qué este plan", "Qué se hizo: Reintento con", "El agente anterior falló"],
    );
    view(&["postmortem", "run_1"], &["Causa raíz", "Qué hacer ahora", "reiniciar con la misma petición"]);
    view(&["logs", "run_1", "task_001"], &["intento 1", "errores"]);
    view(&["effects", "run_1"], &["No hay efectos externos registrados."]);
    view(&["doctor"], &["configuración", "se puede escribir"]);
    view(&["run", "--help"], &["Uso: candor run", "El objetivo, en palabras sencillas"]);
    let english = candor.run(["report", "run_1"]).ended_with(0);
    english.shows(&["**Status** completed", "## What is missing or does not hold"]);
}

#[test]
fn a_question_and_an_error_are_put_in_spanish() {
    // spec: findings UX-10
    let candor = Candor::with_config(ATTENDED);
    let said = spanish(&candor, &["run", PARIS, "--run-id", "run_1", "--fault", "hotel_agent=error"]);
    said.ended_with(3).tells(&[
        "la ejecución run_1 espera respuesta: la tarea",
        "Responder con una de:",
        "candor answer run_1",
    ]);
    spanish(&candor, &["status", "nada"]).ended_with(2).tells(&["no hay ninguna ejecución nada en"]);
    spanish(&candor, &["answer", "run_1", "retry", "--gate", "gate_9"])
        .ended_with(2)
        .tells(&["no hay ninguna pregunta abierta"]);
    spanish(&candor, &["run"]).ended_with(2).tells(&["decir qué hay que hacer"]);
}

#[test]
fn the_language_is_the_first_that_is_named_and_json_has_none() {
    // spec: findings UX-10
    let candor = Candor::new();
    let none = "No runs yet";
    let told = |args: &[&str], variables: &[(&str, &str)]| {
        let out = output(&candor, args, variables);
        String::from_utf8(out.stdout).unwrap().contains(none)
    };
    assert!(told(&["list"], &[]));
    assert!(!told(&["list"], &[("LC_ALL", "es_MX.UTF-8")]));
    assert!(told(&["list"], &[("LC_ALL", "es_MX.UTF-8"), ("CANDOR_LANG", "en")]));
    assert!(!told(&["list", "--lang", "es"], &[("CANDOR_LANG", "en")]));
    assert!(told(&["list", "--lang=en"], &[("CANDOR_LANG", "es")]));
    candor.run(["list", "--lang", "fr"]).ended_with(2).tells(&["--lang"]);
    candor.run(["run", PARIS, "--run-id", "run_1"]).ended_with(0);
    for view in ["status", "report", "explain", "postmortem", "logs"] {
        let data = |lang| output(&candor, &[view, "run_1", "--json", "--lang", lang], &[]).stdout;
        assert_eq!(data("es"), data("en"), "{view}");
    }
    let list = |lang| output(&candor, &["list", "--json", "--lang", lang], &[]).stdout;
    assert_eq!(list("es"), list("en"));
}

#[test]
fn a_wrong_configuration_and_wrong_usage_are_told_in_spanish() {
    // spec: findings UX-10
    for (config, told) in [
        ("[[agents]]\nagent_type = \"mill\"\ncommand = []\n", "`command` está vacío; indicar el programa"),
        ("[[agents]]\nagent_type = \"mill\"\n", "no tiene ninguno de `command`"),
        ("[code]\nprocesses = 0\n", "[code]: `processes` debe ser al menos 1"),
        ("[limits]\nmax_paralel_tasks = 1\n", "¿quizá `max_parallel_tasks`?"),
        ("[[schedules]]\nname = \"a\"\ncron = \"x\"\ngoal = \"Mill\"\n", "no se puede leer"),
    ] {
        let candor = Candor::with_config(config);
        spanish(&candor, &["agents"]).ended_with(2).tells(&[told]);
        // The same sentence where all of it is examined.
        let doctor = spanish(&candor, &["doctor"]).ended_with(1);
        assert!(doctor.stdout.contains(told), "{told}: {}", doctor.stdout);
    }
    let candor = Candor::new();
    spanish(&candor, &["agents", "--config", "none.toml"])
        .ended_with(2)
        .tells(&["no se pudo leer none.toml"]);
    spanish(&candor, &["run", PARIS, "--fault", "nobody=error"])
        .ended_with(2)
        .tells(&["--fault: no hay ningún agente nobody"]);
    spanish(&candor, &["run", PARIS, "--record", "kept"])
        .ended_with(2)
        .tells(&["no hay ninguno configurado"]);
    spanish(&candor, &["token", "remove", "nobody"]).ended_with(2).tells(&["no hay ningún token `nobody`"]);
    spanish(&candor, &["packs", "new", "Nuts"]).ended_with(2).tells(&["no es un nombre de paquete"]);
    let key = "Mill the rye with AKIAIOSFODNN7EXAMPLE";
    spanish(&candor, &["goal", key]).tells(&["parece un secreto"]);
}
