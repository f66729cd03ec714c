// SPDX-License-Identifier: Apache-2.0
//
// One file of a daemon with what many have: no name of ours may stand in front of theirs.

import Epitaph
import Logging
import Metrics
import Observation

@Observable final class Model {
    var served = 0
}

let logger = Logger(label: "org.example.neighbour")
let requests = Counter(label: "requests")
let stopwatch = Metrics.Stopwatch(for: requests)
let registrar = Observation.ObservationRegistrar()

Epitaph.start(
    Epitaph.Configuration(
        databasePath: CommandLine.arguments[1], bundleID: "org.example.neighbour"))
Epitaph["tenant"] = "acme"

let model = Model()
model.served += 1
print("used Epitaph with", logger.label, stopwatch.counter.label, model.served, registrar)
