//! What commands do: a table of programs that destroy, deploy, give access, spend or write to people.
//!
//! A rule is a program, then what one of its arguments must be, if anything. Reading is approximate on purpose: pipes,
//! quotes, substitutions and wrappers such as `sudo` only separate commands. What the table does not list is not
//! known to be harmless; it is only not known to be destructive.

use std::sync::LazyLock;

use candor_model::RiskClass;
use rustc_hash::FxHashSet;

use RiskClass::{Access, Delete, Deploy, Irreversible, Message, Money};

/// A program, the words that must follow it in this order (`a|b` is either, anywhere after the one before; `a*` is a
/// beginning), and what it then does.
type Rule = (RiskClass, &'static str);

#[rustfmt::skip]
const RULES: &[Rule] = &[
    (Delete, "rm"), (Delete, "rmdir"), (Delete, "unlink"), (Delete, "shred"), (Delete, "srm"), (Delete, "wipe"),
    (Delete, "wipefs"), (Delete, "mkfs*"), (Delete, "dropdb"), (Delete, "dropuser"), (Delete, "userdel"),
    (Delete, "groupdel"), (Delete, "deluser"), (Delete, "lvremove"), (Delete, "vgremove"), (Delete, "truncate"),
    (Delete, "dd of=*"), (Delete, "fdisk"), (Delete, "sfdisk"), (Delete, "parted"), (Delete, "blkdiscard"),
    (Delete, "find -delete"), (Delete, "rsync --delete*|--remove-source-files"), (Delete, "crontab -r"),
    (Delete, "del /*|*"), (Delete, "rd /s"), (Delete, "remove-item"), (Delete, "clear-content"), (Delete, "erase"),
    (Delete, "git branch -d|-D|--delete"), (Delete, "git push --delete|-d|:*|--mirror|--prune"),
    (Delete, "git clean -*"), (Delete, "git tag -d|--delete"), (Delete, "git stash drop|clear"),
    (Delete, "git worktree remove"), (Delete, "git reflog expire|delete"), (Delete, "git gc --prune*"),
    (Delete, "docker rm|rmi|prune"), (Delete, "docker volume|image|container|network|system rm|remove|prune"),
    (Delete, "docker-compose down|rm"), (Delete, "docker compose down|rm"), (Delete, "podman rm|rmi|prune"),
    (Delete, "kubectl delete|drain|evict"), (Delete, "oc delete"), (Delete, "helm uninstall|delete"),
    (Delete, "terraform destroy"), (Delete, "tofu destroy"), (Delete, "pulumi destroy"), (Delete, "cdk destroy"),
    (Delete, "serverless remove"), (Delete, "sls remove"), (Delete, "vagrant destroy"), (Delete, "nomad job stop"),
    (Delete, "aws s3 rm|rb"), (Delete, "aws delete-*|terminate-*|purge-*|deregister-*|remove-*"),
    (Delete, "aws s3 sync --delete"), (Delete, "gcloud delete"), (Delete, "gsutil rm|rb"), (Delete, "bq rm"),
    (Delete, "az delete|purge"), (Delete, "doctl delete|destroy"), (Delete, "heroku *:destroy|*:reset"),
    (Delete, "fly destroy"), (Delete, "flyctl destroy"), (Delete, "firebase *:delete"), (Delete, "vercel rm|remove"),
    (Delete, "gh delete"), (Delete, "glab delete"), (Delete, "npm unpublish"), (Delete, "cargo yank"),
    (Delete, "mc rm|rb"), (Delete, "rclone delete|purge|sync|rmdirs"), (Delete, "restic forget|prune"),
    (Delete, "borg delete|prune"), (Delete, "zfs destroy"), (Delete, "zpool destroy"), (Delete, "btrfs delete"),
    (Delete, "redis-cli flushall|flushdb|del"), (Delete, "mongo* dropdatabase*"), (Delete, "curl -xdelete"),
    (Delete, "curl -X|--request delete"), (Delete, "http delete"), (Delete, "apt remove|purge|autoremove"),
    (Delete, "apt-get remove|purge|autoremove"), (Delete, "dnf remove|erase"), (Delete, "yum remove|erase"),
    (Delete, "snap remove"), (Delete, "brew uninstall"), (Delete, "pip uninstall"), (Delete, "certbot delete"),
    (Delete, "vault delete|destroy"), (Delete, "etcdctl del"), (Delete, "consul delete"), (Delete, "kafka-topics* --delete"),
    (Delete, "drop table|database|schema|index|view|column|user|role|keyspace|collection|partition"),
    (Delete, "truncate table"), (Delete, "delete from"), (Delete, "alter table drop"), (Delete, "*.deletemany*"),
    (Irreversible, "git push --force*|-f|+*"), (Irreversible, "git reset --hard"), (Irreversible, "git filter-branch|filter-repo"),
    (Irreversible, "git checkout -f|--force|."), (Irreversible, "git restore ."), (Irreversible, "git rebase --root"),
    (Irreversible, "shutdown"), (Irreversible, "reboot"), (Irreversible, "poweroff"), (Irreversible, "halt"),
    (Irreversible, "init 0|6"), (Irreversible, "systemctl stop|disable|mask|reboot|poweroff|restart"),
    (Irreversible, "service stop|restart"), (Irreversible, "killall"), (Irreversible, "pkill"),
    (Irreversible, "redis-cli shutdown"), (Irreversible, "flashrom"), (Irreversible, "hdparm"), (Irreversible, "cryptsetup luksformat"),
    (Irreversible, "update set"), (Irreversible, "alembic downgrade"), (Irreversible, "tune2fs"),
    (Deploy, "kubectl apply|rollout|scale|patch|replace|create|set|edit"), (Deploy, "helm install|upgrade|rollback"),
    (Deploy, "terraform apply|import"), (Deploy, "tofu apply"), (Deploy, "pulumi up"), (Deploy, "cdk deploy"),
    (Deploy, "ansible-playbook"), (Deploy, "serverless deploy"), (Deploy, "sls deploy"), (Deploy, "vercel deploy|--prod|promote"),
    (Deploy, "netlify deploy"), (Deploy, "fly deploy"), (Deploy, "flyctl deploy"), (Deploy, "firebase deploy"),
    (Deploy, "gcloud deploy"), (Deploy, "az deployment|up"), (Deploy, "aws deploy|update-service|update-function-code|create-deployment|create-stack|update-stack"),
    (Deploy, "eb deploy"), (Deploy, "sam deploy"), (Deploy, "wrangler deploy|publish"), (Deploy, "cap deploy"),
    (Deploy, "kamal deploy"), (Deploy, "dokku deploy"), (Deploy, "docker push"), (Deploy, "docker stack deploy"),
    (Deploy, "git push heroku|production|prod|live"), (Deploy, "npm publish"), (Deploy, "yarn publish"), (Deploy, "pnpm publish"),
    (Deploy, "cargo publish"), (Deploy, "twine upload"), (Deploy, "poetry publish"), (Deploy, "uv publish"), (Deploy, "gem push"),
    (Deploy, "mvn deploy"), (Deploy, "gradle publish"), (Deploy, "gh release create|upload"), (Deploy, "gh pr merge"),
    (Deploy, "gh workflow run"), (Deploy, "make deploy|release|publish"), (Deploy, "argocd sync"), (Deploy, "nomad job run"),
    (Deploy, "alembic upgrade"), (Deploy, "flyway migrate"), (Deploy, "rails db:migrate"), (Deploy, "manage.py migrate"),
    (Access, "chmod"), (Access, "chown"), (Access, "chgrp"), (Access, "setfacl"), (Access, "chattr"), (Access, "passwd"),
    (Access, "chpasswd"), (Access, "usermod"), (Access, "useradd"), (Access, "adduser"), (Access, "groupmod"), (Access, "visudo"),
    (Access, "gpasswd"), (Access, "ssh-copy-id"), (Access, "iptables"), (Access, "nft"), (Access, "ufw"), (Access, "firewall-cmd"),
    (Access, "setenforce"), (Access, "icacls"), (Access, "takeown"), (Access, "aws iam|sts|kms|secretsmanager"),
    (Access, "aws put-bucket-policy|put-bucket-acl|authorize-*|put-*-policy"), (Access, "gcloud add-iam-policy-binding|set-iam-policy|secrets"),
    (Access, "az role|keyvault"), (Access, "gh secret|ssh-key|auth"), (Access, "gh repo edit"), (Access, "vault write|kv"),
    (Access, "kubectl create|get secret|secrets|rolebinding|clusterrolebinding"), (Access, "cat */.ssh/*|*/etc/shadow|*.pem|*id_rsa*|*.env"),
    (Access, "grant to"), (Access, "revoke from"), (Access, "alter user|role"), (Access, "create user|role"),
    (Message, "mail"), (Message, "mailx"), (Message, "mutt"), (Message, "sendmail"), (Message, "msmtp"), (Message, "swaks"),
    (Message, "ssmtp"), (Message, "wall"), (Message, "slack chat"), (Message, "gh issue|pr comment|create|close|review"),
    (Message, "aws ses|sns"), (Message, "twilio *"), (Message, "telegram-send"), (Message, "signal-cli send"),
    (Money, "stripe payouts|charges|refunds|transfers|payment_intents|subscriptions"), (Money, "paypal *"), (Money, "bitcoin-cli send*"),
    (Money, "solana transfer"), (Money, "aws purchase-*"), (Money, "geth send*"),
];

/// What stands before a program and is none.
#[rustfmt::skip]
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "nohup", "time", "nice", "ionice", "exec", "xargs", "command", "eval", "setsid", "timeout", "stdbuf",
    "watch", "bash", "sh", "zsh", "dash", "fish", "cmd", "powershell", "pwsh", "-c", "/c", "-exec", "-execdir", "-ok", "psql",
    "mysql", "sqlite3", "mariadb", "-e", "--execute", "--command", "then", "do", "else", "npx", "bunx", "python", "python3", "-m",
    "su", "chroot", "busybox", "start", "call", "parallel",
];
/// What runs whatever follows it somewhere else, statements of databases included.
#[rustfmt::skip]
const ANYWHERE: &[&str] = &[
    "ssh", "kubectl exec", "docker exec", "parallel", "find", "xargs", "su", "psql", "mysql", "mariadb", "sqlite3",
];

/// Names of programs that are words of a language too: in prose they count only with an argument that no prose has.
#[rustfmt::skip]
const ALSO_WORDS: &[&str] = &[
    "wipe", "truncate", "erase", "shutdown", "reboot", "halt", "mail", "wall", "parted", "unlink", "shred", "passwd", "update", "grant",
    "revoke", "make", "cap", "fly", "init", "service", "http", "find", "cat", "az", "git", "delete", "heroku", "slack", "create",
    "alter", "kill", "vault", "drop", "stripe", "paypal", "twilio", "borg", "snap", "brew", "mutt", "restic", "del", "rd", "mc",
    "nomad", "gem", "consul", "az", "eb", "sam", "oc", "nft", "firebase", "vercel", "netlify", "docker", "aws", "gcloud", "gh",
];

/// What a command does that asks for a person, and the part of it that says so.
#[must_use]
pub fn of_command(command: &str) -> Option<(RiskClass, String)> {
    found(command, false)
}

/// The same for words that may mention a command: `rm -rf build` counts, "mail" does not.
pub(super) fn in_prose(text: &str) -> Option<(RiskClass, String)> {
    let coded = text.split('`').skip(1).step_by(2).find_map(of_command);
    coded.or_else(|| found(text, true))
}

/// Programs that only read, whatever their arguments; with a second word, only that command of theirs.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "ls", "cat", "head", "tail", "wc", "pwd", "grep", "rg", "fd", "echo", "which", "file", "stat", "du", "df", "tree", "date", "whoami",
    "uname", "diff", "cmp", "sort", "uniq", "cut", "jq", "less", "ps", "true", "cd", "type", "git status", "git diff", "git log",
    "git show", "git blame", "git grep", "git ls-files", "cargo check", "cargo test", "cargo clippy", "go test", "go vet", "npm test", "pytest",
];

/// Whether a command is known only to read, or to run checks: every part of it, and nothing goes into a file.
#[must_use]
pub fn only_reads(command: &str) -> bool {
    let writes = command.replace("2>&1", "").replace("2>/dev/null", "").contains(['>', '`', '$']);
    let reads = |piece: &Vec<String>| {
        let mut words = piece.iter().map(String::as_str);
        let (first, second) = (words.next().map(name).unwrap_or_default(), words.next().unwrap_or_default());
        READERS.contains(&first) || READERS.contains(&format!("{first} {second}").as_str())
    };
    !writes && of_command(command).is_none() && pieces(&command.replace("2>&1", "")).iter().all(reads)
}

fn found(text: &str, prose: bool) -> Option<(RiskClass, String)> {
    pieces(text).iter().find_map(|piece| in_piece(piece, prose))
}

/// The commands of a line, each as its words; quotes only separate words.
fn pieces(text: &str) -> Vec<Vec<String>> {
    let lower = text.to_lowercase();
    let parts = lower.split(['\n', ';', '|', '&', '(', ')', '{', '}', '`']);
    let words = |part: &str| {
        let split = part.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ','));
        split.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    parts.map(words).filter(|words| !words.is_empty()).collect()
}

fn in_piece(words: &[String], prose: bool) -> Option<(RiskClass, String)> {
    let anywhere = prose || words.first().is_some_and(|first| ANYWHERE.contains(&name(first)));
    (0..words.len()).filter(|&at| anywhere || is_start(words, at)).find_map(|at| {
        let rest = words.get(at..)?;
        let program = name(rest.first()?);
        if !is_listed(program) {
            return None;
        }
        let rule = RULES.iter().find(|(_, rule)| fits(rule, program, rest, prose))?;
        let shown: Vec<&str> = rest.iter().take(6).map(String::as_str).collect();
        Some((rule.0, shown.join(" ")))
    })
}

/// Whether any rule is about a program; of most words none is.
fn is_listed(program: &str) -> bool {
    static LISTED: LazyLock<(FxHashSet<&str>, Vec<&str>)> = LazyLock::new(|| {
        let programs = RULES.iter().filter_map(|(_, rule)| rule.split(' ').next());
        let (patterns, names): (Vec<&str>, Vec<&str>) = programs.partition(|program| program.contains('*'));
        (names.into_iter().collect(), patterns)
    });
    let (names, patterns) = &*LISTED;
    names.contains(program) || patterns.iter().any(|pattern| matches(pattern, program))
}

/// A command begins a line, or follows a wrapper with its options and assignments.
fn is_start(words: &[String], at: usize) -> bool {
    let before = words.get(..at).unwrap_or_default();
    let skipped = |word: &&String| {
        let word = word.as_str();
        let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.');
        WRAPPERS.contains(&name(word)) || word.starts_with('-') || word.contains('=') || is_number
    };
    before.iter().all(|word| skipped(&word))
        || before.iter().next_back().is_some_and(|last| WRAPPERS.contains(&name(last)))
}

/// A program without its folder.
fn name(program: &str) -> &str {
    let last = program.rsplit(['/', '\\']).next().unwrap_or(program);
    last.strip_suffix(".exe").unwrap_or(last)
}

fn fits(rule: &str, named: &str, words: &[String], prose: bool) -> bool {
    let (program, wanted) =
        rule.split_once(' ').map_or((rule, None), |(program, rest)| (program, Some(rest)));
    if !matches(program, named) {
        return false;
    }
    let Some((first, mut rest)) = words.split_first() else { return false };
    let wanted = wanted.into_iter().flat_map(|wanted| wanted.split(' '));
    // Options of the program may stand between its name and its verb.
    let mut flags = false;
    for alternatives in wanted {
        let alike =
            |word: &String| alternatives.split('|').any(|pattern| matches(&pattern.to_lowercase(), word));
        let Some(at) = rest.iter().position(alike) else { return false };
        flags |= rest.get(at).is_some_and(|word| word.starts_with(['-', '+']));
        rest = rest.get(at.saturating_add(1)..).unwrap_or_default();
    }
    !prose || flags || shape_of_a_command(first, words)
}

/// Prose does not have options, paths or addresses right after the name of a program.
fn shape_of_a_command(program: &str, words: &[String]) -> bool {
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let looks_like_argument =
        second.starts_with(['-', '/', '.', '~', '$', '*']) || second.contains(['/', '=', '*']);
    looks_like_argument || (!ALSO_WORDS.contains(&name(program)) && words.len() > 1)
}

/// Whether a word is what a pattern says; `*` at an end stands for anything.
fn matches(pattern: &str, word: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(""), _) => true,
        (Some(end), Some(_)) => word.contains(end.trim_end_matches('*')),
        (Some(end), None) => word.ends_with(end),
        (None, Some(beginning)) => word.starts_with(beginning),
        (None, None) => pattern == word,
    }
}
