// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Refusal {
    static let eventsOfParent = Refusal(
        .inForkedChild,
        "the event log belongs to the parent of this process; make one of its own here")

    static func events(_ error: SystemError) -> Refusal {
        Refusal(error, "events cannot be recorded")
    }
}

func attempt<Value>(
    _ call: @autoclosure () throws(SystemError) -> Value
) throws(Refusal) -> Value {
    try rethrowing(call(), as: Refusal.events)
}
