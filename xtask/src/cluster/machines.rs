//! A standalone cluster of Spark on this machine: a master and workers that listen on loopback
//! only, and that end with this program, however it ends.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::home;

/// How long a program of Spark may take to start.
const PATIENCE: Duration = Duration::from_secs(600);

/// What drivers and executors do, on loopback.
const SETTINGS: &str = "\
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.driver.memory 4g
spark.executor.memory 1g
";

/// Of many small tables: little time for statements that run once over few rows, which are
/// interpreted instead of compiled, and as many tries as there are losses.
const TESTS: &str = "\
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.sql.codegen.wholeStage false
spark.sql.codegen.factoryMode NO_CODEGEN
spark.sql.adaptive.enabled false
spark.sql.shuffle.partitions 2
spark.default.parallelism 2
spark.task.maxFailures 1000
spark.stage.maxConsecutiveAttempts 1000
";

const LOG: &str = "\
rootLogger.level = info
rootLogger.appenderRef.stdout.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %m%n
";

/// How drivers and executors are set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Settings {
    /// As they are for whoever installs Spark.
    Plain,
    /// For many small tables.
    Tests,
}

impl Settings {
    fn directory(self) -> &'static str {
        match self {
            Settings::Plain => "conf",
            Settings::Tests => "conf-tests",
        }
    }
}

pub struct Machines {
    directory: tempdir::Directory,
    home: PathBuf,
    master: String,
    /// Ends all processes of its group when its input ends: so also when this program is killed.
    keeper: Child,
    workers: Mutex<Vec<Worker>>,
    /// How many workers there ever were.
    started: AtomicUsize,
}

struct Worker {
    process: Child,
    log: PathBuf,
}

impl Machines {
    pub fn start(environment: &Path, workers: usize) -> Result<Machines> {
        let directory = tempdir::Directory::new()?;
        let scratch = directory.path().join("scratch");
        let warehouse = directory.path().join("warehouse");
        let places = format!(
            "spark.local.dir {}\nspark.sql.warehouse.dir {}\n",
            scratch.display(),
            warehouse.display()
        );
        for (settings, more) in [(Settings::Plain, ""), (Settings::Tests, TESTS)] {
            let place = directory.path().join(settings.directory());
            fs::create_dir(&place)?;
            let text = SETTINGS.to_owned() + more + &places;
            fs::write(place.join("spark-defaults.conf"), text)?;
            fs::write(place.join("log4j2.properties"), LOG)?;
        }
        let keeper = Command::new("sh")
            .args(["-c", "cat > /dev/null; kill -9 0"])
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .context("could not start what stops the cluster")?;
        let mut machines = Machines {
            directory,
            home: home(environment)?,
            master: String::new(),
            keeper,
            workers: Mutex::new(vec![]),
            started: AtomicUsize::new(0),
        };
        let class = "org.apache.spark.deploy.master.Master";
        let (mut process, log) = machines.program(class, "master", &[])?;
        let line = wait_for(&mut process, &log, "Starting Spark master at ")?;
        machines.master = line.trim().to_owned();
        for _ in 0..workers {
            let mut worker = machines.worker()?;
            let registered = "Successfully registered with master";
            wait_for(&mut worker.process, &worker.log, registered)?;
            machines.lock().push(worker);
        }
        Ok(machines)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        self.workers
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// As a plan names it.
    pub fn address(&self) -> &str {
        &self.master
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Tells a command how to talk to this cluster, and nothing of somebody's other clusters.
    pub fn tell(&self, command: &mut Command, settings: Settings) {
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if name_text.starts_with("SPARK_") || name_text.starts_with("PYSPARK_") {
                command.env_remove(name);
            }
        }
        command
            .env(
                "SPARK_CONF_DIR",
                self.directory().join(settings.directory()),
            )
            .env("LASTBIT_TEST_CLUSTER", self.keeper.id().to_string())
            .env("SPARK_LOCAL_IP", "127.0.0.1");
    }

    /// One of Spark's programs, and what it says.
    fn program(&self, class: &str, name: &str, arguments: &[&str]) -> Result<(Child, PathBuf)> {
        let log = self.directory.path().join(format!("{name}.log"));
        let file = File::create(&log)?;
        let mut command = Command::new(self.home.join("bin/spark-class"));
        command
            .arg(class)
            .args(["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .process_group(self.keeper.id() as i32);
        self.tell(&mut command, Settings::Plain);
        // The master would give up an application whose executors were killed ten times.
        command
            .env("SPARK_DAEMON_MEMORY", "256m")
            .env("SPARK_MASTER_OPTS", "-Dspark.deploy.maxExecutorRetries=-1");
        let child = command.spawn().context("could not start Spark")?;
        Ok((child, log))
    }

    /// A worker, which the master will know in a while.
    fn worker(&self) -> Result<Worker> {
        let name = format!("worker-{}", self.started.fetch_add(1, Ordering::Relaxed));
        let place = self.directory.path().join(&name);
        let place = place
            .to_str()
            .context("a directory whose name is no text")?;
        let class = "org.apache.spark.deploy.worker.Worker";
        let arguments = [
            "--cores",
            "1",
            "--memory",
            "1500m",
            "--work-dir",
            place,
            &self.master,
        ];
        let (process, log) = self.program(class, &name, &arguments)?;
        Ok(Worker { process, log })
    }

    /// Kills a worker with its executors, in the middle of whatever they do, and starts another in
    /// its place; whether it had an executor. One that ended by itself is an error.
    pub fn kill(&self, which: usize) -> Result<bool> {
        let mut workers = self.lock();
        let which = which % workers.len();
        let worker = &mut workers[which];
        if worker.process.try_wait()?.is_some() {
            eprintln!("{}", fs::read_to_string(&worker.log).unwrap_or_default());
            bail!("a worker ended; see above");
        }
        let id = worker.process.id();
        let executors = children(id);
        if executors.is_empty() {
            return Ok(false);
        }
        let mut kill = Command::new("kill");
        kill.arg("-9").arg(id.to_string());
        kill.args(executors.iter().map(u32::to_string));
        kill.stderr(Stdio::null()).status()?;
        worker.process.wait()?;
        let _ = fs::remove_file(&worker.log);
        *worker = self.worker()?;
        Ok(true)
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
        for worker in self.lock().iter_mut() {
            let _ = worker.process.wait();
        }
    }
}

/// The rest of the first line of a log with these words.
fn wait_for(process: &mut Child, log: &Path, words: &str) -> Result<String> {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(log).unwrap_or_default();
        let complete = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        let mut found = complete.filter_map(|line| line.split_once(words));
        if let Some((_, rest)) = found.next() {
            return Ok(rest.to_owned());
        }
        if process.try_wait()?.is_some() || start.elapsed() > PATIENCE {
            eprintln!("{text}");
            bail!("a program of Spark did not start; see above");
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// The processes that a process started.
fn children(parent: u32) -> Vec<u32> {
    let is_child = |id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name before it may hold anything but its last parenthesis.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        after.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    let Ok(processes) = fs::read_dir("/proc") else {
        return vec![];
    };
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(is_child).collect()
}

mod tempdir {
    //! A directory that is removed at the end.

    use std::fs;
    use std::path::{Path, PathBuf};

    use anyhow::{Context, Result};

    pub struct Directory(PathBuf);

    impl Directory {
        pub fn new() -> Result<Directory> {
            let name = format!("lastbit-cluster-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir(&path).context("could not make a temporary directory")?;
            Ok(Directory(path))
        }

        pub fn path(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
