//! What the parsing process gives up before it reads the first byte: memory, time, files, network, other programs.
//!
//! Linux enforces all of it: resource limits, Landlock (no path, no port, no foreign signal) and a list of
//! the few system calls that parsing needs. Elsewhere only the resource limits apply, and where the system
//! has none of those for memory, the parent's timeout is the only bound.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Memory that may be written. Text, tree and blocks of the largest page take half of it.
const MEMORY_BYTES_MAX: u64 = 200 * 1024 * 1024;
/// Processor time of one process. It ends itself after five seconds of work, and one page takes ten at most.
const WORK_SECONDS_MAX: u64 = 20;
/// Its three pipes.
const FILES_MAX: u64 = 3;

pub fn confine() -> io::Result<()> {
    limit(Resource::Cpu, WORK_SECONDS_MAX)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Fsize, 0)?;
    limit(Resource::Data, MEMORY_BYTES_MAX)?;
    // Landlock and the filter need a descriptor for a moment; afterwards nothing new may be opened.
    let held = held();
    limit(Resource::Nofile, FILES_MAX)?;
    held
}

fn limit(resource: Resource, value: u64) -> io::Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// One of the two must be enforced; on every kernel since 5.13 both are.
#[cfg(target_os = "linux")]
fn held() -> io::Result<()> {
    let paths = no_paths();
    match (paths, few_calls()) {
        (Ok(true), _) | (_, Ok(())) => Ok(()),
        (_, Err(error)) => Err(io::Error::other(format!("the kernel does not confine the parser: {error}"))),
    }
}

#[cfg(not(target_os = "linux"))]
fn held() -> io::Result<()> {
    Ok(())
}

/// Whether files are out of reach.
#[cfg(target_os = "linux")]
fn no_paths() -> Result<bool, landlock::RulesetError> {
    use landlock::{ABI, Access as _, AccessFs, AccessNet, Ruleset, RulesetAttr as _, RulesetStatus, Scope};
    /// The newest Landlock version that this was written for.
    const BOUNDS: ABI = ABI::V6;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(BOUNDS))?
        .handle_access(AccessNet::from_all(BOUNDS))?
        .scope(Scope::from_all(BOUNDS))?
        .create()?
        .restrict_self()?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}

/// Every other system call fails with "not permitted".
#[cfg(target_os = "linux")]
fn few_calls() -> io::Result<()> {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };
    /// Memory, pipes that are open already, time, randomness, and an end.
    const ALLOWED: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_fstat,
        libc::SYS_lseek,
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_clock_gettime,
        libc::SYS_sched_yield,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let own = u64::from(std::process::id());
    let to_itself = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, own)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(io::Error::other)?;
    // The last limit is set after the filter is in place; those of another process stay out of reach.
    let own_limits = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(io::Error::other)?;
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_tgkill, vec![to_itself]);
    rules.insert(libc::SYS_prlimit64, vec![own_limits]);
    let not_permitted = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, not_permitted, SeccompAction::Allow, architecture);
    let program: BpfProgram = filter.and_then(TryInto::try_into).map_err(io::Error::other)?;
    seccompiler::apply_filter(&program).map_err(io::Error::other)
}
