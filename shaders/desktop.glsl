#version 410 core
