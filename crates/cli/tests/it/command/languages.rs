//! English and Spanish: what people read is in their language, what programs read is not.

use std::process::Output;

use crate::support::{ATTENDED, Candor, PARIS, Said};

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
