// SPDX-License-Identifier: Apache-2.0

/// Records how this process dies, and turns what earlier launches recorded into reports.
///
///     Epitaph.start("com.example.myd", version: "1.4")
///     Epitaph["tenant"] = tenant
///     Epitaph.note("listening")
///
/// Everything public is in here, so that no name of Epitaph meets one of the program's, and each
/// can be written in full. Nothing here throws at the program or ends it unless it says so: where
/// Epitaph cannot start, `state` and the configuration's `log` say why, and the rest does nothing.
///
/// The forked child of a process that started Epitaph is covered like its parent, but has no
/// threads of Epitaph: the parent makes and sends the reports.
public enum Epitaph {}
