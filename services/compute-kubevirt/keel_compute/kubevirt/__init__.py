"""How a Nova server looks as KubeVirt objects: pure functions from plain values to plain dicts. No I/O in this
package.
"""
