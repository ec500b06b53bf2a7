use super::*;

#[test]
fn addresses_are_read_and_written_again() {
    for text in [
        "postgresql://db.example.org/clinic",
        "postgresql://reader@db.example.org:5433/clinic?sslmode=verify-full",
        "postgresql://reader@/clinic?host=/run/postgresql",
        "postgresql://[::1]:5432/clinic",
        "duckdb:clinic.duckdb",
        "sqlite:/srv/clinic.db",
        "spark:local[2]",
        "spark:local[*]",
        "spark://cluster.example.org:7077",
        "spark://one:7077,two:7077,[::1]:7077",
    ] {
        assert_eq!(Address::parse(text).unwrap().to_string(), text);
    }
    let short = Address::parse("postgres://localhost").unwrap();
    assert_eq!(short.to_string(), "postgresql://localhost/");
    let file = Address::parse("sqlite:///srv/clinic.db").unwrap();
    assert_eq!(file.file(), Some("/srv/clinic.db"));
}

#[test]
fn a_password_is_refused_wherever_it_stands_and_never_repeated() {
    for text in [
        "postgresql://reader:hunter2@host/clinic",
        "postgresql://:hunter2@host/clinic",
        "postgresql://reader:hunter2@x@host/clinic",
        "postgresql://reader:hunt/er2@host/clinic",
        "postgresql://host/clinic?password=hunter2",
        "postgresql://host/clinic?p%61ssword=hunter2",
        "postgresql://host/clinic?sslmode=require&sslpassword=hunter2",
        "postgresql://host/clinic?passfile=hunter2",
    ] {
        let error = Address::parse(text).unwrap_err();
        assert!(error.contains("password_env"), "{text}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn what_is_no_address_is_refused_without_repeating_it() {
    for text in [
        "",
        "clinic.db",
        "mysql://host/hunter2",
        "postgresql:host/hunter2",
        "postgresql://host/clinic?options=-c%20hunter2",
        "postgresql://host/a b hunter2",
        "postgresql://ho\"st/hunter2",
        "sqlite:",
        "sqlite::memory:",
        "sqlite:file?mode=rwc&hunter2",
        "duckdb://hunter2/clinic",
        "spark:hunter2",
        "spark:local[hunter2]",
        "spark:local[0]",
        "spark:local[+2]",
        "spark://hunter2",
        "spark://hunter2:0",
        "spark://hunter2:99999",
        "spark://user:hunter2@host:7077",
        "spark://host:7077,",
        "spark://host:7077/hunter2",
        "spark://host:7077 --conf hunter2",
    ] {
        let error = Address::parse(text).unwrap_err();
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[cfg(feature = "databases")]
#[test]
fn every_byte_of_a_password_is_escaped() {
    let Address::PostgreSql(url) = Address::parse("postgresql://reader@host/clinic").unwrap()
    else {
        panic!("another system");
    };
    let text = url.with_password(Some("a@:/?é"));
    assert_eq!(
        text,
        "postgresql://reader:%61%40%3A%2F%3F%C3%A9@host/clinic"
    );
}
