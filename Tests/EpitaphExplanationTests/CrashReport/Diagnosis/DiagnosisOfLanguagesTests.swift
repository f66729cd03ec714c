// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

/// Deaths of programs in other languages, whose runtimes abort.
@Suite struct DiagnosisOfLanguagesTests {
    @Test(
        "The function that ended the program tells the cause, and its caller groups the reports",
        arguments: [
            (
                ["runtime.raise", "runtime.crash", "runtime.gopanic", "runtime.goPanicIndex"],
                "panicked (Go): index out of range"
            ),
            (["runtime.raise", "runtime.dieFromSignal", "runtime.gopanic"], "panicked (Go)"),
            (
                ["runtime.raise", "runtime.gopanic", "runtime.panicmem", "runtime.sigpanic"],
                "panicked (Go): invalid memory address or nil pointer dereference"
            ),
            (
                ["runtime.raise", "runtime.fatalthrow", "runtime.throw", "runtime.sigpanic"],
                "was stopped by Go's runtime"
            ),
            (["runtime.raise", "runtime.fatalthrow.func1"], "was stopped by Go's runtime"),
            (["abort", "caml_fatal_error"], "was stopped by OCaml's runtime"),
            (
                ["abort", "default_fatal_uncaught_exception", "caml_fatal_uncaught_exception"],
                "did not catch an OCaml exception"
            ),
            (["abort", "__addvsi3"], "overflowed a signed integer"),
            (
                [
                    "abort", "swift::swift_Concurrency_fatalErrorv(unsigned int, char const*)",
                    "swift::swift_Concurrency_fatalError(unsigned int, char const*, ...)",
                ],
                "was stopped by Swift's runtime for tasks"
            ),
            (
                [
                    "abort", "swift::swift_Concurrency_fatalError(unsigned int, char const*, ...)",
                    "swift_task_dealloc.cold.2", "swift_task_dealloc",
                ],
                "freed memory of a Swift task out of order"
            ),
            (["abort", "_d_assert_msg"], "failed an assertion (D)"),
            (["abort", "__gnat_unhandled_terminate"], "did not handle an Ada exception"),
        ])
    func ended(innermost: [String], headline: String) throws {
        let explanation = DiagnosisSample.abort(
            in: innermost + ["main.pick", "main.main", "runtime.main", "runtime.goexit.abi0"])
        #expect(explanation.diagnosis?.headline == headline)
        let signature = try #require(explanation.signature?.text)
        #expect(signature.hasSuffix(" main.pick | main.main"), "\(signature)")
    }
}
