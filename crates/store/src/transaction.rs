//! A transaction that costs no parsing: rusqlite's own reads the words that begin and end it anew each time, which
//! is a fiftieth of what a quick commit takes.

use rusqlite::Connection;

/// A transaction that is open. What is not committed is rolled back.
pub(crate) struct Transaction<'c>(&'c Connection);

impl<'c> Transaction<'c> {
    /// Takes the right to write, or says at once that another process has it. The connection is borrowed as if it
    /// were changed, so that there is one transaction at a time.
    pub(crate) fn begin(connection: &'c mut Connection) -> rusqlite::Result<Self> {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Self(connection))
    }

    /// What the transaction's statements run on.
    pub(crate) const fn connection(&self) -> &'c Connection {
        self.0
    }

    /// Commits; on return everything is on disk.
    pub(crate) fn commit(self) -> rusqlite::Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([]).map(|_| ())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // One that cannot even be rolled back leaves a connection that refuses the next one, and says why.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn what_is_not_committed_is_rolled_back() {
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE t (a)").unwrap();
        let insert =
            |open: &Transaction<'_>| open.connection().execute("INSERT INTO t VALUES (1)", []).unwrap();
        let open = Transaction::begin(&mut connection).unwrap();
        insert(&open);
        drop(open);
        assert_eq!((rows(&connection), connection.is_autocommit()), (0, true));
        let open = Transaction::begin(&mut connection).unwrap();
        insert(&open);
        open.commit().unwrap();
        assert_eq!((rows(&connection), connection.is_autocommit()), (1, true));
    }
}
