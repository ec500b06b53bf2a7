//! `[source]` of a plan whose rows are in a database.

use std::path::Path;

use super::query_text;
use super::reader::{Table, Value};
use super::{Address, Database, DatabaseRows, PasswordPlace, PlanError, Source};
use crate::schema::NO_SECRET;

/// The longest name of a table; databases take less.
const MOST_NAME: usize = 1000;

pub fn database(table: &Table<'_>, address: &Value<'_>, base: &Path) -> Result<Source, PlanError> {
    if let Some(value) = table.get("password") {
        return Err(value.error(NO_SECRET));
    }
    for key in ["files", "format", "gzip", "delimiter", "quote"] {
        if let Some(value) = table.get(key) {
            return Err(value.error(format!(
                "`{key}` is for rows in files, and `database` for rows in a database; leave out \
                 one of them"
            )));
        }
    }
    let parsed = Address::parse(address.string()?).map_err(|error| address.error(error))?;
    let rows = rows(table)?;
    let password = password(table, &parsed)?;
    table.finish()?;
    Ok(Source::Database(Box::new(Database {
        address: parsed,
        rows,
        password,
        base: base.to_owned(),
    })))
}

fn rows(source: &Table<'_>) -> Result<DatabaseRows, PlanError> {
    match (source.get("table"), source.get("query")) {
        (Some(table), None) => {
            let name = name(&table, "table")?;
            let schema = source.get("schema");
            let schema = schema
                .map(|value| self::name(&value, "schema"))
                .transpose()?;
            Ok(DatabaseRows::Table { schema, name })
        }
        (None, Some(query)) => query_text::checked(query.string()?)
            .map(DatabaseRows::Query)
            .map_err(|error| query.error(format!("`query` in [source]: {error}"))),
        (Some(_), Some(query)) => {
            Err(query.error("[source] has `table` and `query`; leave out one of them"))
        }
        (None, None) => Err(source.error(
            "[source] says which database, and not which rows; add, for example, table \
             = \"visits\"",
        )),
    }
}

/// The name of a table or a schema.
fn name(value: &Value<'_>, key: &str) -> Result<String, PlanError> {
    match value.string()? {
        name if name.is_empty() || name.len() > MOST_NAME || name.contains('\0') => {
            Err(value.error(format!("`{key}` in [source] must be the name of a {key}")))
        }
        name => Ok(name.to_owned()),
    }
}

fn password(source: &Table<'_>, address: &Address) -> Result<Option<PasswordPlace>, PlanError> {
    let (place, value) = match (source.get("password_env"), source.get("password_file")) {
        (None, None) => return Ok(None),
        (Some(name), None) => (PasswordPlace::Environment(name.string()?.to_owned()), name),
        (None, Some(name)) => (PasswordPlace::File(name.string()?.to_owned()), name),
        (Some(_), Some(name)) => {
            return Err(name
                .error("[source] has `password_env` and `password_file`; leave out one of them"));
        }
    };
    if !address.takes_password() {
        return Err(value.error(match address.file() {
            Some(_) => "a database in a file takes no password; leave this out",
            None => {
                "Spark takes its secrets from its own settings (spark-defaults.conf); leave this \
                 out"
            }
        }));
    }
    if let PasswordPlace::Environment(name) = &place {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty()
            || !name.chars().all(is_name)
            || name.starts_with(|c: char| c.is_ascii_digit())
        {
            // It may be the password itself.
            return Err(value.error(
                "`password_env` in [source] must be the name of an environment variable (letters, \
                 digits and _), and not the password",
            ));
        }
    }
    Ok(Some(place))
}
