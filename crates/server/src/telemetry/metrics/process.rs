//! Process metrics under Prometheus' standard names.

/// Updates the process metrics; Linux only.
#[cfg(target_os = "linux")]
pub(super) fn observe() {
    use metrics::gauge;
    use procfs::process::{LimitValue, Process};

    let Ok(process) = Process::myself() else { return };
    if let Ok(open) = process.fd_count() {
        gauge!("process_open_fds").set(float(open as u64));
    }
    if let Ok(limits) = process.limits()
        && let LimitValue::Value(most) = limits.max_open_files.soft_limit
    {
        gauge!("process_max_fds").set(float(most));
    }
    let Ok(stat) = process.stat() else { return };
    let ticks = float(procfs::ticks_per_second());
    gauge!("process_cpu_seconds_total").set(float(stat.utime + stat.stime) / ticks);
    gauge!("process_resident_memory_bytes").set(float(stat.rss * procfs::page_size()));
    gauge!("process_virtual_memory_bytes").set(float(stat.vsize));
    gauge!("process_threads").set(float(u64::try_from(stat.num_threads).unwrap_or_default()));
    if let Ok(boot) = procfs::boot_time_secs() {
        gauge!("process_start_time_seconds").set(float(boot) + float(stat.starttime) / ticks);
    }
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub(super) const fn observe() {}

/// Converts a number to a gauge value; the numbers here stay exact.
#[cfg(target_os = "linux")]
#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
const fn float(number: u64) -> f64 {
    number as f64
}
