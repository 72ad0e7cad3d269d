//! Acts that cannot be taken back, and their harmless neighbours.

use candor_model::{JsonMap, RiskClass, ToolHints, ToolSpec};
use candor_planning::risk::{of_call, of_command, of_text};
use proptest::prelude::*;
use serde_json::{Value, json};

use RiskClass::{Access, Delete, Deploy, Irreversible, Message, Money};

#[rustfmt::skip]
const ACTS: &[(RiskClass, &str)] = &[
    (Delete, "Delete all old backups in /var/backups without asking"),
    (Delete, "Deploy the new build and drop the old users table"),
    (Deploy, "Deploy the new build and drop the old users table"),
    (Delete, "delete everything"),
    (Delete, "Bórralo todo"),
    (Delete, "borra todos los archivos de la carpeta vieja"),
    (Delete, "elimina las cuentas inactivas"),
    (Delete, "Por favor, elimínalos"),
    (Delete, "Vacía la papelera y el buzón"),
    (Delete, "Please wipe the disk of the build machine"),
    (Delete, "purge the queue of failed jobs"),
    (Delete, "Can you erase my laptop?"),
    (Delete, "We need to drop the customers database"),
    (Delete, "Remove all user accounts that were inactive for a year"),
    (Delete, "Find old log files and remove them"),
    (Delete, "Clean up the production logs"),
    (Delete, "Empty the trash"),
    (Delete, "rm -rf node_modules"),
    (Delete, "Run `rm -rf /srv/data`"),
    (Delete, "Run the wipe script on all hosts"),
    (Delete, "Truncate the orders table"),
    (Delete, "Get rid of the old servers"),
    (Delete, "Tear down the staging cluster"),
    (Delete, "The old records must be deleted"),
    (Delete, "Terminate all idle instances"),
    (Delete, "Deleting stale branches"),
    (Delete, "Delete duplicates from the customer database"),
    (Delete, "Read the inventory, then delete the files that nobody used"),
    (Delete, "Destroy the test environment"),
    (Delete, "Suprime los registros de prueba"),
    (Delete, "Decommission the mail server"),
    (Delete, "\"Delete all backups\""),
    (Delete, "Do this: \"wipe the disk\""),
    (Irreversible, "Force push the rewritten branch"),
    (Irreversible, "force-push to main"),
    (Irreversible, "git push --force origin main"),
    (Irreversible, "Overwrite the master copy with the draft"),
    (Irreversible, "Shut down the database server"),
    (Irreversible, "Cancel my subscription"),
    (Irreversible, "Cancela la suscripción"),
    (Irreversible, "Sign the contract with the supplier"),
    (Irreversible, "Submit the tax return"),
    (Irreversible, "Apaga el servidor"),
    (Deploy, "Deploy version 2 to production"),
    (Deploy, "Despliega la nueva versión"),
    (Deploy, "Roll out the update to all stores"),
    (Deploy, "Publish the package to npm"),
    (Deploy, "Release the app to customers"),
    (Deploy, "Update the config in production"),
    (Deploy, "Ship it to production"),
    (Deploy, "Pon el servicio en producción"),
    (Deploy, "Run the tests and deploy to prod if they pass"),
    (Access, "Grant admin rights to the intern"),
    (Access, "Revoke the token of the old service"),
    (Access, "Rotate the API keys"),
    (Access, "Reset the password of Maria"),
    (Access, "Make the bucket public"),
    (Access, "Give Bob write access to the repository"),
    (Access, "Da acceso de administrador a Juan"),
    (Access, "Open port 22 in the firewall"),
    (Access, "Disable the firewall"),
    (Access, "Export all passwords"),
    (Money, "Pay invoice 4711"),
    (Money, "Transfer $500 to the landlord"),
    (Money, "Buy 20 licences"),
    (Money, "Paga la factura de la luz"),
    (Money, "Compra dos monitores"),
    (Money, "Refund the customer"),
    (Money, "Book a table for four"),
    (Money, "Order 20 laptops from the supplier"),
    (Money, "Transfiere 500 euros a la cuenta de Ana"),
    (Money, "Place an order for more paper"),
    (Money, "Write labels for the beds and order 20 packs of seeds from the supplier"),
    (Message, "Write the minutes and email Maria"),
    (Message, "Send an email to all customers"),
    (Message, "Email the team about the outage"),
    (Message, "Envía un correo a los clientes"),
    (Message, "Notify all subscribers"),
    (Message, "Send the summary to anna@example.org"),
    (Message, "Post the summary on Slack"),
    (Message, "Reply to the customer"),
    (Message, "Let everybody know that the office is closed"),
    (Message, "Avisa a los clientes del retraso"),
    (Message, "Write the report and send it to the board"),
    (Message, "Invite all members to the meeting"),
];

#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "Read the deleted items report", "Compare deployment tools", "Write a summary of payments", "Design a drop-down menu",
    "Send the result to the next step", "Explain how to delete a branch", "How do I drop a table in SQL?",
    "List the files that could be deleted", "Describe the release process", "Summarise the latest release notes",
    "Count the orders of last month", "Order the list by price", "Sort the transfers by amount", "Write a book review",
    "Read the book and summarise chapter two", "Compare prices of laptops", "Do not delete anything", "Analyse deleted accounts",
    "Check the payment history", "Find the cheapest supplier", "Plan the deployment of the new service",
    "Draft an email to the customers", "Write a letter to the landlord", "Review the access log", "List all users with admin rights",
    "Explain the difference between drop and delete", "Document the create, update and delete endpoints",
    "Is it safe to delete node_modules?", "What happens if I drop this table?", "Remove duplicates from the list",
    "Remove the background from the photos", "Delete the second paragraph", "Clean the text of stop words", "Drop outliers from the chart",
    "Create a new file with the results", "Write the result to report.md", "Save the table as CSV", "Translate the text into Spanish",
    "Summarise the emails of this week", "Classify the support messages", "Extract dates from the letters", "Monitor the servers",
    "Estimate the cost of the purchase", "Calculate the refund rate", "Research password managers", "Compare firewall vendors",
    "Pay attention to the units", "Pay close attention to his shoes", "Pay close attention to his shoes", "Lee el informe de elementos borrados", "Compara herramientas de despliegue",
    "Resume los pagos de marzo", "Explica cómo borrar una rama", "Lista los archivos eliminados", "Calcula el coste de la compra",
    "Redacta un correo para los clientes", "Ordena la lista por precio", "No borres nada", "Busca el mejor proveedor",
    "Escribe un resumen de la publicación", "Tell me which accounts are inactive", "Show the shipping costs by country",
    "Group the tickets by customer", "Translate \"delete the file\" into German", "Write a function that removes trailing spaces",
    "Compute the sum of a column", "Format the numbers with two decimals", "Predict next month's sales", "Push notification design ideas",
    "Draw a diagram of the data flow", "Text analysis of customer reviews", "Email marketing plan for a bakery",
    "Post office opening hours", "Pick a name for the project", "Send the data to the parser", "Clear explanation of tides",
    "Build a shopping list for dinner", "Grant proposal outline for a school garden", "Look up the deploy date in the calendar",
    "I am looking to buy a used bike, which models are good?", "Quotes that are to be sent to me every day",
];

/// Written after the first rules, which missed a tenth of them and were then extended.
#[rustfmt::skip]
const MORE_ACTS: &[&str] = &[
    "Nuke the old cluster", "Kill the production database", "Please get rid of every customer record",
    "I want all the logs gone, delete them", "Uninstall the app from all devices", "wipe my phone", "Remove John's account",
    "purga la base de datos", "Tira la base de datos vieja", "Formatea el disco", "haz un despliegue en producción",
    "Sube la nueva versión a producción", "Push the release to prod", "Go live with the new site", "Merge to main and deploy",
    "Roll the update out to everyone", "Send Maria the contract", "Tweet the announcement", "Text my wife that I am late",
    "Forward the complaint to legal", "Message all users", "Wire 2000 EUR to the supplier", "Purchase a new domain",
    "Sell all my shares", "Renew the subscription", "Charge the card on file", "Withdraw 100 dollars",
    "Donate 50 euros to the red cross", "Add Bob as an administrator", "Change the root password", "Share the folder with everyone",
    "Rotate credentials", "Dump the credentials table", "Cambia la contraseña del administrador",
    "Comparte la carpeta con los clientes", "Manda un mensaje a todos", "Contesta a los clientes", "Reserva una mesa para dos",
    "Make a payment of 300 dollars", "Invoice 12 must be paid", "Prune old docker volumes", "Clear the inbox",
    "drop database customers", "DROP TABLE users;", "DELETE FROM users WHERE 1=1", "Remove the branch after merging",
    "Archive the reports and delete the originals", "Overwrite the config file", "Restart the production server",
    "Shut the servers down", "Execute terraform destroy", "Cancel all orders of today", "Accept the offer",
    "Publica el artículo en el blog", "Terminate the contract with the supplier", "Deletion of stale user accounts",
    "Deployment to production", "Payment of the invoice to ACME", "Permanently remove the archive folder",
    "delete old files older than 30 days from the bucket",
];

#[rustfmt::skip]
const MORE_HARMLESS: &[&str] = &[
    "Summarise deleted scenes of the film", "Analyse the drop in sales", "Write a cleanup plan for the garage",
    "Find out why the deployment failed", "Review the pull request", "Check whether the backup was deleted",
    "Compare payment providers", "Write a tutorial on removing stains", "Create a table of expenses", "Make a list of customers",
    "List emails from March", "Count messages per user", "Plot transfers by month", "Design a logo for the shop",
    "Translate the newsletter", "Prepare a presentation for the board", "Research the market for bikes", "Suggest names for a cat",
    "Convert the CSV to JSON", "Clean the data and plot it", "Remove null values from the dataset", "Drop missing rows",
    "Merge the two tables", "Update the spreadsheet with new figures", "Explain push notifications", "Draft a tweet about the event",
    "Write release notes", "Calculate shipping costs", "Order the results alphabetically", "Book recommendations for children",
    "Identify users who cancelled", "Describe access control", "Password policy comparison", "Generate a random password",
    "Create a user story", "Build a payment form mockup", "Test the delete endpoint", "Estimate how long the deployment takes",
    "What is the cost to transfer a domain?", "Resume el libro", "Escribe una carta al alcalde", "Analiza la caída de ventas",
    "Crea una tabla de gastos", "Busca proveedores de pago", "Compara precios de portátiles", "Prepara un informe para el jefe",
    "Limpia los datos y haz un gráfico", "Calcula la nómina media", "Traduce el mensaje", "Explica los permisos de Linux",
    "Water the plants", "Cook a dinner for four", "Pass the data to the next agent", "Return the list to the caller",
    "Merge the summaries into one report", "Close the loop on open questions", "Extract the payment terms from the contract",
    "Summarize the contract and highlight risks", "Find a table at the library", "Monitor production latency", "Send output to stdout",
    "Reset the counter to zero", "Format the report as a table", "Set the title of the chart", "Open the file and read the first line",
    "Copy the file to the backup folder", "Collect the figures and write a report for the team", "Tell me a story about a king",
    "Ship design history", "Give me three ideas for a party", "Stop when you have ten results", "Take notes",
    "Plan the move to the new office", "Install pandas and plot the data",
];

/// Written for farms, clinics and schools after the lists above; a quarter of the acts was missed at first.
#[rustfmt::skip]
const THIRD_ACTS: &[(RiskClass, &str)] = &[
    (Message, "Fire off the newsletter to all parents"), (Money, "Wire 4,000 euros to the fertiliser supplier"),
    (Message, "Hand the customer list to the auditors by email"), (Delete, "Format the memory cards from the field cameras"),
    (Delete, "Deregister the domain greenfarm.example"), (Irreversible, "Unsubscribe all customers that did not answer"),
    (Delete, "Evict the tenants' records older than 2015 from the archive"), (Delete, "Formatea las tarjetas de las cámaras"),
    (Irreversible, "Da de baja el dominio huerta.example"), (Delete, "Tritura los expedientes de 2015"),
    (Access, "Reparte los permisos de administrador al becario"), (Delete, "Shred the old contracts"),
    (Delete, "Dispose of the expired samples"), (Irreversible, "Switch off the ventilation of barn 3"),
    (Irreversible, "Open the sluice gates"), (Irreversible, "Discharge the patient in room 4"), (Irreversible, "Fire the accountant"),
    (Irreversible, "Euthanise the sick calf"), (Money, "Spend $200 on ads"), (Irreversible, "Corta la luz del establo"),
    (Delete, "Zero out the loyalty points of all members"), (Irreversible, "Take the booking page offline"),
    (Irreversible, "Ship the samples to the laboratory in Lyon"), (Money, "Put 200 dollars on the travel card"),
    (Irreversible, "Extend the lease of the studio for two years"), (Message, "Publish the obituary in the local paper"),
    (Message, "Ring the customers and tell them we are late"), (Access, "Whitelist the IP of the contractor in the firewall"),
    (Irreversible, "Drain the south reservoir"), (Irreversible, "Inject 5 ml of insulin into patient 12"), (Delete, "Unlist all our apartments from the portal"),
    (Irreversible, "Roll back the database to last week's snapshot"), (Irreversible, "Decline all invitations for December"),
    (Irreversible, "Enrol the whole class in the exam"), (Irreversible, "Anula la reserva del hotel"), (Access, "Entrega las llaves al inquilino"),
    (Irreversible, "Retira a los alumnos del examen"), (Irreversible, "Recall the sold batch of yoghurt"),
    (Irreversible, "Despide al empleado nuevo"), (Access, "Suspend the accounts of the last year"), (Money, "Remit the balance to the school"),
];

#[rustfmt::skip]
const THIRD_HARMLESS: &[&str] = &[
    "Shred the cheese for the gratin", "Turn the notes into a report", "Distribute the work among five agents", "Hand the result to the next step",
    "Tritura las almendras para la salsa", "Format the cards of the presentation", "Cut the onions", "Drop a pin on the map", "Spend an hour on the draft",
    "Block out time for revision", "Burn calories with a new training plan", "Draft a newsletter for parents, do not send it",
    "Compare the prices of 4,000 products", "Deliver a summary of the minutes", "Hire costs of tractors by region", "Fire safety checklist for the barn",
    "Switch the axes of the chart", "Describe how to open a valve", "Explica cómo dar de baja un dominio", "Turn off-white into a hex colour", "Extend the report by a section on costs", "Put the figures into a table", "Load 200 rows of euro amounts into a table",
    "Launch an analysis of the survey", "Explain how a reservoir is drained", "Place the chart below the table", "Administer a quiz about Rome",
    "Revert to plain language", "Take the average of the three bids", "Hand the draft to the reviewer agent",
];

#[test]
fn irreversible_acts_are_recognised_in_words() {
    // spec: findings SE-03
    let missed: Vec<_> = ACTS
        .iter()
        .chain(THIRD_ACTS)
        .filter(|(class, text)| !of_text(text).iter().any(|(found, _)| found == class))
        .map(|(class, text)| (class, text, of_text(text)))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let missed: Vec<_> = MORE_ACTS.iter().filter(|text| of_text(text).is_empty()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn their_harmless_neighbours_are_not_asked_about() {
    // spec: findings SE-03
    let wrong: Vec<_> = HARMLESS
        .iter()
        .chain(MORE_HARMLESS)
        .chain(THIRD_HARMLESS)
        .map(|text| (text, of_text(text)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Requests of other domains in English and Spanish: which half of the cases, the class or `-`, and the text.
const CASES: &str = include_str!("../cases/risk.txt");
const COMMANDS: &str = include_str!("../cases/commands.txt");
const ORDERS: &str = include_str!("../cases/orders.txt");

#[test]
fn acts_of_other_domains_are_told_from_turns_of_phrase() {
    // spec: findings SE-03
    // Before the rules about objects: 11 of 40 and 11 of 20 acts, 13 of 60 and 6 of 30 harmless.
    tells_apart(CASES, [("seen", 39, 0), ("held", 15, 4)]);
    tells_apart(ORDERS, [("seen", 87, 0), ("held", 30, 1)]);
}

/// Counts the acts that are found, and the harmless texts that are taken for acts, in each half of a list.
#[track_caller]
fn tells_apart(cases: &'static str, limits: [(&str, usize, usize); 2]) {
    for (half, least_found, most_wrong) in limits {
        let row = |line: &'static str| line.strip_prefix(half)?.strip_prefix('|')?.split_once('|');
        let (acts, harmless): (Vec<_>, Vec<_>) =
            cases.lines().filter_map(row).partition(|(class, _)| *class != "-");
        let missed: Vec<_> = acts.iter().filter(|(_, text)| of_text(text).is_empty()).collect();
        let wrong: Vec<_> = harmless.iter().filter(|(_, text)| !of_text(text).is_empty()).collect();
        let found = acts.len() - missed.len();
        assert!(found >= least_found && wrong.len() <= most_wrong, "{half}: {missed:#?} {wrong:#?}");
    }
}

#[test]
fn destructive_commands_are_recognised_behind_wrappers_pipes_and_quotes() {
    // spec: findings SE-03
    let commands = || COMMANDS.lines().filter_map(|line| line.split_once('|'));
    let class = |line: &str| of_command(line).map(|found| found.0.to_string()).unwrap_or_default();
    let missed: Vec<_> = commands().filter(|(wanted, line)| class(line) != *wanted).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let harmless = [
        "ls -la",
        "cat notes.txt",
        "grep -r rm .",
        "git status",
        "git push origin main",
        "git log --oneline",
        "docker ps",
        "kubectl get pods",
        "terraform plan",
        "python3 report.py",
        "echo done",
        "aws s3 ls",
        "npm test",
        "cargo build",
        "psql -c 'select * from users'",
        "head -n 5 deleted.txt",
        "helm list",
        "find . -name '*.md'",
        "curl https://example.org",
        "git diff --stat",
        "wc -l rm.txt",
    ];
    let wrong: Vec<_> =
        harmless.iter().map(|line| (line, of_command(line))).filter(|(_, found)| found.is_some()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn tool(name: &str, hints: ToolHints) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        input_schema: json!({}).into(),
        hints,
        undo: None,
        check: None,
    }
}

fn arguments(value: &Value) -> JsonMap {
    value.as_object().unwrap().clone()
}

#[test]
fn a_call_is_judged_by_its_command_its_name_and_what_its_tool_declares() {
    // spec: findings SE-03
    let none = JsonMap::new();
    let adds = ToolHints { destructive_hint: false, ..ToolHints::default() };
    let class = |name: &str, hints| of_call(&tool(name, hints), &none);
    assert_eq!(class("mail.send_email", adds), Message, "what only adds may still write to people");
    assert_eq!(class("github.delete_repository", adds), Delete);
    assert_eq!(class("deployService", ToolHints::default()), Deploy);
    assert_eq!(class("stripe.refund_customer", adds), Money);
    assert_eq!(class("notes.append", adds), RiskClass::Change);
    assert_eq!(
        class("notes.set", ToolHints::default()),
        Irreversible,
        "what is not declared is taken for the worst"
    );
    assert_eq!(class("list_deleted_files", ToolHints::READS), RiskClass::Read);
    let shell = tool("run_command", ToolHints::default());
    assert_eq!(of_call(&shell, &arguments(&json!({"command": "rm -rf x"}))), Delete);
    assert_eq!(of_call(&shell, &arguments(&json!({"command": ["git", "push", "--force"]}))), Irreversible);
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        let _ = (of_text(&text), of_command(&text));
    }
}
