// SPDX-License-Identifier: Apache-2.0

/// Records how this process dies, and turns the records of earlier launches into reports.
///
///     Epitaph.start("com.example.myd", version: "1.4")
///     Epitaph["tenant"] = tenant
///     Epitaph.note("listening")
///
/// A namespace for everything public, to avoid name clashes. Unless documented, nothing here throws
/// or ends the program: if Epitaph cannot start, `state` and the configuration's `log` say why, and
/// the rest does nothing.
///
/// A forked child of a process that started Epitaph is covered too, but has no threads of Epitaph:
/// the parent makes and sends the reports.
public enum Epitaph {}
