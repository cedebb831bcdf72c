//! `probity update` and `probity uninstall` on a program that lies where the installer puts it: releases that the tool
//! minisign signed, and what somebody who can change the files makes of them.
#![expect(clippy::disallowed_methods, reason = "tests start the real binary and the real minisign")]

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use sha2::{Digest as _, Sha256};

use crate::harness::{CommandOutput, World, finish};

/// A release that is newer than any: the program in it is a script that says its version and nothing else.
const NEXT: &str = "99.0.0";

/// Its name, and what it does to the files.
type ReleaseAttack<'a> = (&'static str, &'a dyn Fn(&Installation));

struct Installation {
    world: World,
    program: PathBuf,
    releases: PathBuf,
}

impl Installation {
    fn new() -> Self {
        let world = World::new();
        let program = world.home.path().join(".local/bin/probity");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_probity"), &program).unwrap();
        let releases = world.home.path().join("releases");
        fs::create_dir_all(&releases).unwrap();
        let installed = Self { world, program, releases };
        installed.make_key("ours");
        installed.make_key("other");
        installed.release(NEXT, "ours");
        installed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.releases.join(name)
    }

    fn make_key(&self, name: &str) {
        let (public, secret) = (self.path(&format!("{name}.pub")), self.path(&format!("{name}.key")));
        minisign(&["-G", "-W", "-f", "-p", public.to_str().unwrap(), "-s", secret.to_str().unwrap()]);
    }

    fn release(&self, version: &str, key: &str) {
        self.release_for(&self.target(), version, key);
    }

    /// An archive with a script as its program, the list of sums, and its signature.
    fn release_for(&self, target: &str, version: &str, key: &str) {
        let script = format!("#!/bin/sh\necho probity {version}\n");
        let stem = format!("probity-{version}-{target}");
        let mut archive =
            tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
        let mut header = tar::Header::new_ustar();
        header.set_size(script.len() as u64);
        header.set_mode(0o755);
        archive.append_data(&mut header, format!("{stem}/probity"), script.as_bytes()).unwrap();
        let bytes = archive.into_inner().unwrap().finish().unwrap();
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(self.path(&format!("{stem}.tar.gz")), bytes).unwrap();
        fs::write(self.path("SHA256SUMS"), format!("{sum}  {stem}.tar.gz\n")).unwrap();
        self.sign(version, key);
    }

    fn sign(&self, version: &str, key: &str) {
        let (secret, sums) = (self.path(&format!("{key}.key")), self.path("SHA256SUMS"));
        let comment = format!("probity {version}");
        minisign(&["-S", "-s", secret.to_str().unwrap(), "-m", sums.to_str().unwrap(), "-t", &comment]);
    }

    /// As `--version` names it.
    fn target(&self) -> String {
        let said = self.run(&["--version"]).out;
        said.trim().trim_end_matches(')').rsplit(' ').next().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let environment = self.world.command(&[]);
        let mut command = Command::new(&self.program);
        command.args(arguments).env_clear().current_dir(self.world.home.path());
        for (name, value) in environment.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        finish(command.spawn().unwrap())
    }

    fn update(&self, more: &[&str]) -> CommandOutput {
        let (from, key) = (self.releases.display().to_string(), self.path("ours.pub").display().to_string());
        let mut arguments = vec!["update", "--yes", "--from", &from, "--key", &key];
        arguments.extend(more);
        self.run(&arguments)
    }

    fn version(&self) -> String {
        self.run(&["--version"]).out.split_whitespace().nth(1).unwrap_or_default().to_owned()
    }
}

fn minisign(arguments: &[&str]) {
    let done =
        Command::new("minisign").args(arguments).output().expect("minisign is installed by .ci/install");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn append(path: &Path, bytes: &[u8]) {
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn an_update_goes_forward_and_back_and_the_program_goes() {
    let installed = Installation::new();
    let before = installed.version();
    let looked = installed.run(&[
        "update",
        "--check",
        "--from",
        &format!("file://{}", installed.releases.display()),
        "--key",
        installed.path("ours.pub").to_str().unwrap(),
    ]);
    assert!(looked.err.contains("99.0.0 is there, signed with the trusted key"), "{looked:?}");
    assert_eq!(installed.version(), before);

    let updated = installed.update(&[]);
    assert_eq!(updated.code, 0, "{updated:?}");
    assert_eq!(installed.version(), NEXT);
    // The script cannot go back; the program that it replaced can.
    let previous = installed.program.with_file_name("probity.previous");
    let kept = Command::new(&previous).arg("--version").output().unwrap();
    assert!(String::from_utf8_lossy(&kept.stdout).contains(&before));
    fs::rename(&previous, installed.program.with_file_name("old")).unwrap();
    fs::rename(&installed.program, &previous).unwrap();
    fs::rename(installed.program.with_file_name("old"), &installed.program).unwrap();
    let back = installed.run(&["update", "--back", "--yes"]);
    assert_eq!((back.code, installed.version()), (0, NEXT.to_owned()), "{back:?}");
    fs::rename(&previous, &installed.program).unwrap();

    let unasked = installed.run(&["uninstall"]);
    assert!(unasked.code != 0 && installed.program.exists(), "{unasked:?}");
    let gone = installed.run(&["uninstall", "--yes"]);
    assert!(gone.code == 0 && !installed.program.exists(), "{gone:?}");
    assert!(gone.err.contains("what stays"), "{gone:?}");
    let left: Vec<_> = fs::read_dir(installed.program.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 0, "{left:?}");
    eprintln!("figure: release.rehearsed update, back, uninstall");
}

#[test]
fn a_release_that_somebody_changed_is_never_installed() {
    let archive =
        |installed: &Installation| installed.path(&format!("probity-{NEXT}-{}.tar.gz", installed.target()));
    let attacks: [ReleaseAttack<'_>; 7] = [
        ("swapped archive", &|installed| append(&archive(installed), b"more")),
        ("truncated archive", &|installed| {
            let bytes = fs::read(archive(installed)).unwrap();
            fs::write(archive(installed), &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("swapped sums", &|installed| append(&installed.path("SHA256SUMS"), b"\n")),
        ("swapped archive and sums", &|installed| {
            let signature = fs::read(installed.path("SHA256SUMS.minisig")).unwrap();
            installed.release("99.0.1", "ours");
            fs::write(installed.path("SHA256SUMS.minisig"), signature).unwrap();
        }),
        ("another key", &|installed| installed.sign(NEXT, "other")),
        ("no signature", &|installed| fs::remove_file(installed.path("SHA256SUMS.minisig")).unwrap()),
        ("downgrade", &|installed| installed.release("0.0.1", "ours")),
    ];
    let installed = Installation::new();
    let before = installed.version();
    let mut accepted = Vec::new();
    for (name, attack) in &attacks {
        installed.release(NEXT, "ours");
        attack(&installed);
        let refused = installed.update(&[]);
        if refused.code == 0 || installed.version() != before {
            accepted.push(*name);
        }
        assert!(refused.err.contains("RELEASE_REFUSED"), "{name}: {refused:?}");
        let beside = fs::read_dir(installed.program.parent().unwrap()).unwrap().count();
        assert_eq!(beside, 1, "{name} leaves files beside the program");
    }
    eprintln!("figure: release.accepted {} of {}", accepted.len(), attacks.len());
    assert_eq!(accepted, Vec::<&str>::new());
}

#[test]
fn what_cannot_be_replaced_stays_and_says_who_replaces_it() {
    let installed = Installation::new();
    let folder = installed.world.home.path().join("node_modules/probity-research");
    fs::create_dir_all(&folder).unwrap();
    let of_npm = Installation { program: folder.join("probity"), ..installed };
    fs::copy(env!("CARGO_BIN_EXE_probity"), &of_npm.program).unwrap();
    fs::set_permissions(&of_npm.program, fs::Permissions::from_mode(0o755)).unwrap();
    let refused = of_npm.update(&[]);
    assert!(refused.code != 0 && refused.err.contains("npm update -g probity-research"), "{refused:?}");
    let refused = of_npm.run(&["uninstall", "--yes"]);
    assert!(refused.code != 0 && refused.err.contains("npm uninstall -g"), "{refused:?}");
    let refused = of_npm.run(&["update", "--check"]);
    assert!(refused.err.contains("this build names no address of releases"), "{refused:?}");
}

/// What the installer needs besides the tool that verifies.
const INSTALLER_TOOLS: [&str; 19] = [
    "sh",
    "cat",
    "uname",
    "mktemp",
    "cp",
    "tar",
    "gzip",
    "sed",
    "grep",
    "head",
    "tail",
    "tr",
    "base64",
    "sha256sum",
    "cut",
    "mkdir",
    "chmod",
    "mv",
    "rm",
];

/// A folder with these tools alone, as a PATH.
fn path_with(folder: &Path, tools: &[&str]) {
    fs::create_dir_all(folder).unwrap();
    for tool in tools {
        let found =
            ["/usr/bin", "/bin"].iter().map(|top| Path::new(top).join(tool)).find(|path| path.exists());
        std::os::unix::fs::symlink(found.unwrap_or_else(|| panic!("no {tool}")), folder.join(tool)).unwrap();
    }
}

#[test]
fn the_installer_takes_only_what_the_publisher_signed() {
    let installed = Installation::new();
    let home = installed.world.home.path();
    let key = fs::read_to_string(installed.path("ours.pub")).unwrap();
    let template = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/install.sh");
    let script = fs::read_to_string(template)
        .unwrap()
        .replace("@VERSION@", NEXT)
        .replace("@RELEASE_KEY@", key.lines().nth(1).unwrap());
    installed.world.write("install.sh", &script);
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let archive = installed.path(&format!("probity-{NEXT}-{target}.tar.gz"));
    let install = |tools: &str, name: &str| {
        let to = home.join(name);
        let done = Command::new("sh")
            .arg(home.join("install.sh"))
            .args(["--from", installed.releases.to_str().unwrap(), "--to", to.to_str().unwrap()])
            .env_clear()
            .env("PATH", home.join(tools))
            .env("HOME", home)
            .output()
            .unwrap();
        (
            done.status.success() && to.join("probity").exists(),
            String::from_utf8_lossy(&done.stderr).into_owned(),
        )
    };
    let (mut tried, mut accepted) = (0, 0);
    for verifier in ["minisign", "openssl"] {
        path_with(&home.join(verifier), &INSTALLER_TOOLS);
        path_with(&home.join(verifier), &[verifier]);
        installed.release_for(&target, NEXT, "ours");
        let (is_there, said) = install(verifier, &format!("{verifier}-good"));
        assert!(is_there, "{verifier}: {said}");
        let attacks: [(&str, &dyn Fn()); 5] = [
            ("archive", &|| append(&archive, b"more")),
            ("sums", &|| append(&installed.path("SHA256SUMS"), b"\n")),
            ("key", &|| installed.sign(NEXT, "other")),
            ("version", &|| installed.sign("98.0.0", "ours")),
            ("unsigned", &|| fs::remove_file(installed.path("SHA256SUMS.minisig")).unwrap()),
        ];
        for (name, attack) in attacks {
            installed.release_for(&target, NEXT, "ours");
            attack();
            let (is_there, said) = install(verifier, &format!("{verifier}-{name}"));
            tried += 1;
            accepted += usize::from(is_there);
            assert!(said.contains("nothing was installed"), "{verifier}, {name}: {said}");
        }
    }
    path_with(&home.join("nothing"), &INSTALLER_TOOLS);
    installed.release_for(&target, NEXT, "ours");
    let (is_there, said) = install("nothing", "nothing-good");
    assert!(!is_there && said.contains("neither minisign nor openssl is here"), "{said}");
    eprintln!("figure: installer.accepted {accepted} of {tried}");
    assert_eq!(accepted, 0);
}
