// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import Logging

try Epitaph.startCapture(
    databasePath: CommandLine.arguments[1], bundleID: "org.example.neighbour")
let logger = Logger(label: "org.example.neighbour")
print("used EpitaphCapture with", logger.label, Epitaph.isCaptureEnabled)
